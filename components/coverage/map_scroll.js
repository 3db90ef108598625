// Lets the keyboard scroll the box of the map: Streamlit 1.67 has no setting for it.
export default function ({ parentElement }) {
  const box = parentElement.closest(".st-key-coverage_map")
  box.tabIndex = 0
  box.role = "region"
  box.ariaLabel = "Map of the coverage"
}
