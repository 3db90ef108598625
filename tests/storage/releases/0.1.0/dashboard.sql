--
-- PostgreSQL database dump
--


-- Dumped from database version 18.6
-- Dumped by pg_dump version 18.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: alembic_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);


--
-- Name: directory_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.directory_version (
    service text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    removed_at bigint NOT NULL
);


--
-- Name: TABLE directory_version; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.directory_version IS '`version` grows with each change of known ids. `removed_at` is its value at the last removal.';


--
-- Name: history; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.history (
    id bigint NOT NULL,
    service text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    supplier text NOT NULL COLLATE pg_catalog."C",
    supplier_item_id text NOT NULL COLLATE pg_catalog."C",
    person text NOT NULL COLLATE pg_catalog."C",
    person_key text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    advice text NOT NULL COLLATE pg_catalog."C",
    item_digest character varying(40) NOT NULL,
    kind character varying(40) NOT NULL,
    undo_of text COLLATE pg_catalog."C",
    operation character varying(40) NOT NULL,
    verdict character varying(40),
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    seen_before_at timestamp with time zone,
    before_digest character varying(40),
    after_digest character varying(40),
    others_added text NOT NULL,
    others_removed text NOT NULL,
    added_ids text NOT NULL,
    removed_ids text NOT NULL,
    added integer NOT NULL,
    removed integer NOT NULL,
    was_settled_later boolean DEFAULT false NOT NULL,
    exchanges json
);


--
-- Name: TABLE history; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.history IS 'One row for each save, and for each change made elsewhere. Later rows have higher ids.';


--
-- Name: history_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: history_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.history_id_seq OWNED BY public.history.id;


--
-- Name: history_step; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.history_step (
    history_id bigint NOT NULL,
    "position" integer NOT NULL,
    recipient_id text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    recipient_digest character varying(40) NOT NULL,
    goal character varying(40) NOT NULL,
    outcome character varying(40) NOT NULL,
    attempts integer NOT NULL,
    problem json,
    started_at timestamp with time zone
);


--
-- Name: TABLE history_step; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.history_step IS 'One row for each recipient that a save was asked to change.';


--
-- Name: job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job (
    id bigint NOT NULL,
    service text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL COLLATE pg_catalog."C",
    person text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    person_key text NOT NULL COLLATE pg_catalog."C",
    kind character varying(40) NOT NULL,
    state character varying(40) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    waiting_since timestamp with time zone,
    next_try_at timestamp with time zone,
    beat_at timestamp with time zone,
    undo_of text COLLATE pg_catalog."C",
    retry_of text COLLATE pg_catalog."C",
    confirmed_count integer,
    applied_role integer,
    item_count integer NOT NULL,
    ended_items integer NOT NULL,
    skipped integer NOT NULL,
    repeated integer NOT NULL,
    read_items integer NOT NULL,
    to_add integer NOT NULL,
    to_remove integer NOT NULL,
    in_place integer NOT NULL,
    changing integer NOT NULL,
    refused integer NOT NULL,
    large_removals integer NOT NULL,
    removals_to_confirm integer NOT NULL,
    rows_done integer NOT NULL,
    rows_already_in_place integer NOT NULL,
    rows_refused integer NOT NULL,
    rows_not_sent integer NOT NULL,
    rows_unknown integer NOT NULL
);


--
-- Name: TABLE job; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.job IS 'One row for each bulk job or scan, with the counts of its previews and outcomes.';


--
-- Name: job_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: job_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.job_id_seq OWNED BY public.job.id;


--
-- Name: job_item; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_item (
    job_id bigint NOT NULL,
    "position" integer NOT NULL,
    supplier text NOT NULL COLLATE pg_catalog."C",
    supplier_item_id text NOT NULL COLLATE pg_catalog."C",
    refusal text NOT NULL COLLATE pg_catalog."C",
    rows text NOT NULL,
    shown character varying(40) NOT NULL,
    is_ended boolean NOT NULL,
    read_at timestamp with time zone,
    add_digest character varying(40) NOT NULL,
    remove_digest character varying(40) NOT NULL,
    exactly_digest character varying(40),
    current_digest character varying(40)
);


--
-- Name: TABLE job_item; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.job_item IS 'The changes that a job requests for one item, and its preview. Lists are in recipient_list.';


--
-- Name: job_row; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_row (
    job_id bigint NOT NULL,
    "position" integer NOT NULL,
    number integer NOT NULL,
    recipient_id text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    goal character varying(40) NOT NULL,
    outcome character varying(40) NOT NULL
);


--
-- Name: TABLE job_row; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.job_row IS 'The outcome for one recipient of one item of a job. `number` follows the recipient ids.';


--
-- Name: job_skipped_row; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_skipped_row (
    job_id bigint NOT NULL,
    "position" integer NOT NULL,
    number integer NOT NULL,
    supplier text NOT NULL COLLATE pg_catalog."C",
    supplier_item_id text NOT NULL COLLATE pg_catalog."C",
    recipients text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: TABLE job_skipped_row; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.job_skipped_row IS 'Rows of the list that the job skips, with the reasons.';


--
-- Name: known_id; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.known_id (
    number bigint NOT NULL,
    kind character varying(40) NOT NULL,
    service text NOT NULL COLLATE pg_catalog."C",
    supplier text NOT NULL COLLATE pg_catalog."C",
    own_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    market text NOT NULL COLLATE pg_catalog."C",
    digest character varying(40) NOT NULL,
    version bigint NOT NULL
);


--
-- Name: TABLE known_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.known_id IS 'Known ids with their names. Only an item has a supplier. `version` is from the last change.';


--
-- Name: known_id_number_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.known_id_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: known_id_number_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.known_id_number_seq OWNED BY public.known_id.number;


--
-- Name: recent_item; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recent_item (
    service text NOT NULL COLLATE pg_catalog."C",
    person text NOT NULL COLLATE pg_catalog."C",
    item_digest character varying(40) NOT NULL,
    supplier text NOT NULL COLLATE pg_catalog."C",
    supplier_item_id text NOT NULL COLLATE pg_catalog."C",
    used_at timestamp with time zone NOT NULL
);


--
-- Name: recipient_list; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recipient_list (
    digest character varying(40) NOT NULL,
    recipients text NOT NULL
);


--
-- Name: TABLE recipient_list; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.recipient_list IS 'The lists that the history, the lists last seen and the jobs refer to. No list is stored twice.';


--
-- Name: recipient_set; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.recipient_set (
    service text NOT NULL COLLATE pg_catalog."C",
    digest character varying(40) NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    folded_name text NOT NULL COLLATE pg_catalog."C",
    updated_by text NOT NULL COLLATE pg_catalog."C",
    recipients text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE recipient_set; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.recipient_set IS 'Recipient sets. `digest` is the digest of the folded name, so no two sets have the same name.';


--
-- Name: seen_list; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.seen_list (
    service text NOT NULL COLLATE pg_catalog."C",
    item_digest character varying(40) NOT NULL,
    supplier text NOT NULL COLLATE pg_catalog."C",
    supplier_item_id text NOT NULL COLLATE pg_catalog."C",
    list_digest character varying(40),
    before_digest character varying(40),
    unsure text NOT NULL,
    failure text NOT NULL COLLATE pg_catalog."C",
    seen_at timestamp with time zone,
    saved_at timestamp with time zone
);


--
-- Name: TABLE seen_list; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.seen_list IS 'For each item, the list last seen, and the reason why a later read failed.';


--
-- Name: sign_out; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sign_out (
    person text NOT NULL COLLATE pg_catalog."C",
    session text NOT NULL COLLATE pg_catalog."C",
    began_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL
);


--
-- Name: TABLE sign_out; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.sign_out IS 'Each row ends the sign-ins that began until `began_at`, in one session or under one name.';


--
-- Name: history id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history ALTER COLUMN id SET DEFAULT nextval('public.history_id_seq'::regclass);


--
-- Name: job id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job ALTER COLUMN id SET DEFAULT nextval('public.job_id_seq'::regclass);


--
-- Name: known_id number; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_id ALTER COLUMN number SET DEFAULT nextval('public.known_id_number_seq'::regclass);


--
-- Data for Name: alembic_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.alembic_version VALUES ('0001');


--
-- Data for Name: directory_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.directory_version VALUES ('https://visibility.example.com/v1', 'supplier', 1, 0);
INSERT INTO public.directory_version VALUES ('https://visibility.example.com/v1', 'item', 1, 0);
INSERT INTO public.directory_version VALUES ('https://visibility.example.com/v1', 'recipient', 2, 2);


--
-- Data for Name: history; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.history VALUES (1, 'https://visibility.example.com/v1', 'save-verified', '9521000010000', '09521000010017:100', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', '', '', '63d84be020cc9f0abfe020e572ff1de078117d5d', 'edit', NULL, 'edit', 'verified', '2026-11-20 08:00:00+00', '2026-11-20 08:00:30+00', NULL, '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '1860b08f69a7afe3b3b1a09151d8af2f0d7809ed', '[]', '[]', '["\u0000Müller & Köln 🛍 d800", "9522000010007", "a"]', '[]', 3, 0, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:00:00+00:00"}]');
INSERT INTO public.history VALUES (2, 'https://visibility.example.com/v1', 'save-not confirmed', '9521000010000', '09521000010017:101', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', 'Not all was saved.', 'Try again.', 'dacf4dffa7b04b2ac23021c3da1b3ef96cc0fb90', 'edit', NULL, 'edit', 'not confirmed', '2026-11-20 08:01:00+00', '2026-11-20 08:01:30+00', NULL, '09c6b710ee7324f0493746dd18f5256a9a6f80a4', NULL, '["d"]', '["\u0000Müller & Köln 🛍 d800"]', '[]', '[]', 0, 0, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:01:00+00:00"}, {"operation": "addVisibility", "status": 409, "failure": "", "has_content": false, "request_id": "r2", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": {"status": 409, "title": "Conflict", "detail": "Someone else changed it.", "instance": "/problems/1", "request_id": "r2"}, "attempt": 2, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:01:00+00:00"}]');
INSERT INTO public.history VALUES (3, 'https://visibility.example.com/v1', 'save-differs', '9521000010000', '09521000010017:102', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', 'Not all was saved.', 'Try again.', 'fd10787ff7c9a22a5763f91d130a291db1cdb273', 'edit', NULL, 'edit', 'differs', '2026-11-20 08:02:00+00', '2026-11-20 08:02:30+00', NULL, '09c6b710ee7324f0493746dd18f5256a9a6f80a4', NULL, '["d"]', '["\u0000Müller & Köln 🛍 d800"]', '[]', '[]', 0, 0, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:02:00+00:00"}, {"operation": "addVisibility", "status": 409, "failure": "", "has_content": false, "request_id": "r2", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": {"status": 409, "title": "Conflict", "detail": "Someone else changed it.", "instance": "/problems/1", "request_id": "r2"}, "attempt": 2, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:02:00+00:00"}]');
INSERT INTO public.history VALUES (4, 'https://visibility.example.com/v1', 'save-nothing sent', '9521000010000', '09521000010017:103', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', 'Not all was saved.', 'Try again.', 'bd6a81e79a22aaa23db672fd2dc0a82169ed760b', 'edit', NULL, 'edit', 'nothing sent', '2026-11-20 08:03:00+00', '2026-11-20 08:03:30+00', NULL, '09c6b710ee7324f0493746dd18f5256a9a6f80a4', NULL, '["d"]', '["\u0000Müller & Köln 🛍 d800"]', '[]', '[]', 0, 0, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:03:00+00:00"}, {"operation": "addVisibility", "status": 409, "failure": "", "has_content": false, "request_id": "r2", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": {"status": 409, "title": "Conflict", "detail": "Someone else changed it.", "instance": "/problems/1", "request_id": "r2"}, "attempt": 2, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:03:00+00:00"}]');
INSERT INTO public.history VALUES (5, 'https://visibility.example.com/v1', 'undo', '9521000010000', '09521000010017:100', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', '', '', '63d84be020cc9f0abfe020e572ff1de078117d5d', 'undo', 'save-verified', 'edit', 'verified', '2026-11-20 08:10:00+00', '2026-11-20 08:10:30+00', NULL, '1860b08f69a7afe3b3b1a09151d8af2f0d7809ed', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '[]', '[]', '[]', '["\u0000Müller & Köln 🛍 d800", "9522000010007", "a"]', 0, 3, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:10:00+00:00"}]');
INSERT INTO public.history VALUES (6, 'https://visibility.example.com/v1', 'set', '9521000010000', '09521000010017:100', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', '', '', '63d84be020cc9f0abfe020e572ff1de078117d5d', 'edit', NULL, 'set', 'verified', '2026-11-20 08:11:00+00', '2026-11-20 08:11:30+00', NULL, '09c6b710ee7324f0493746dd18f5256a9a6f80a4', 'b8ff61240a5ff6e3e9d94b9dda198ec3a16ddaad', '[]', '[]', '["c"]', '[]', 1, 0, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:11:00+00:00"}]');
INSERT INTO public.history VALUES (7, 'https://visibility.example.com/v1', 'remove-all', '9521000010000', '09521000010017:100', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', '', '', '63d84be020cc9f0abfe020e572ff1de078117d5d', 'edit', NULL, 'remove all', 'verified', '2026-11-20 08:12:00+00', '2026-11-20 08:12:30+00', NULL, 'b8ff61240a5ff6e3e9d94b9dda198ec3a16ddaad', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '[]', '[]', '[]', '["b", "c"]', 0, 2, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:12:00+00:00"}]');
INSERT INTO public.history VALUES (8, 'https://visibility.example.com/v1', 'job-running/0', '9521000010000', '09521000010017:100', 'Ben Burke', 'https://login.example.com ann-1', 'Agreed with the retailer', '', '', '63d84be020cc9f0abfe020e572ff1de078117d5d', 'bulk', NULL, 'edit', 'verified', '2026-11-20 08:13:00+00', '2026-11-20 08:13:30+00', NULL, '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '93dbb7333904b01719f915e6f688fa3e270727d6', '[]', '[]', '["\u0000Müller & Köln 🛍 d800", "9522000010007", "a"]', '[]', 3, 0, false, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:13:00+00:00"}]');
INSERT INTO public.history VALUES (9, 'https://visibility.example.com/v1', 'interrupted', '9521000010000', '09521000010017:103', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', '', '', 'bd6a81e79a22aaa23db672fd2dc0a82169ed760b', 'edit', NULL, 'edit', 'verified', '2026-11-20 08:14:00+00', '2026-11-20 08:14:30+00', NULL, '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '1860b08f69a7afe3b3b1a09151d8af2f0d7809ed', '[]', '[]', '["\u0000Müller & Köln 🛍 d800", "9522000010007", "a"]', '[]', 3, 0, true, '[{"operation": "addVisibility", "status": 204, "failure": "", "has_content": false, "request_id": "r1", "took_s": 0.0, "method": "PUT", "path": "/v1/x", "problem": null, "attempt": 1, "is_renewed": false, "clock_ahead_s": null, "sent_at": "2026-11-20T08:14:00+00:00"}]');
INSERT INTO public.history VALUES (10, 'https://visibility.example.com/v1', 'open', '9521000010000', '09521000010017:105', 'Ann Ames', 'https://login.example.com ann-1', 'Agreed with the retailer', '', '', 'a1662ac3a211ce3b8eaf0d5e66917197b76f901e', 'edit', NULL, 'edit', NULL, '2026-11-20 08:15:00+00', NULL, NULL, '09c6b710ee7324f0493746dd18f5256a9a6f80a4', NULL, '[]', '[]', '[]', '[]', 0, 0, false, NULL);
INSERT INTO public.history VALUES (11, 'https://visibility.example.com/v1', '70ec36b17a282bd3e86b6311f463f15b5acbb967', '9521000010000', '09521000010017:104', '', '', '', '', '', '1cf6cbaa25cec7aad7cc649338297eb1bb5c2dfb', 'observed', NULL, 'edit', 'verified', '2026-11-21 00:40:00+00', '2026-11-21 00:40:00+00', '2026-11-20 16:20:00+00', '18e595090484124e4283dd0d705306feb8d9a6fd', 'b8ff61240a5ff6e3e9d94b9dda198ec3a16ddaad', '[]', '[]', '["c"]', '["a"]', 1, 1, false, NULL);


--
-- Data for Name: history_step; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.history_step VALUES (1, 0, '0000Müller & Köln 🛍 d800', '', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'visible', 'done', 1, NULL, '2026-11-20 08:00:00+00');
INSERT INTO public.history_step VALUES (1, 1, '9522000010007', '', '4747d0b73832d810fd81361af6f7715993eaf26b', 'visible', 'done', 1, NULL, '2026-11-20 08:00:00+00');
INSERT INTO public.history_step VALUES (1, 2, 'a', '', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'visible', 'done', 1, NULL, '2026-11-20 08:00:00+00');
INSERT INTO public.history_step VALUES (2, 0, '0000Müller & Köln 🛍 d800', 'Not done.', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'visible', 'refused', 2, '{"status": 409, "title": "Conflict", "detail": "Someone else changed it.", "instance": "/problems/1", "request_id": "r2"}', '2026-11-20 08:01:00+00');
INSERT INTO public.history_step VALUES (2, 1, '9522000010007', 'Not done.', '4747d0b73832d810fd81361af6f7715993eaf26b', 'visible', 'unknown', 2, NULL, '2026-11-20 08:01:00+00');
INSERT INTO public.history_step VALUES (2, 2, 'a', 'Not done.', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'visible', 'not sent', 2, NULL, '2026-11-20 08:01:00+00');
INSERT INTO public.history_step VALUES (3, 0, '0000Müller & Köln 🛍 d800', 'Not done.', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'visible', 'refused', 2, '{"status": 409, "title": "Conflict", "detail": "Someone else changed it.", "instance": "/problems/1", "request_id": "r2"}', '2026-11-20 08:02:00+00');
INSERT INTO public.history_step VALUES (3, 1, '9522000010007', 'Not done.', '4747d0b73832d810fd81361af6f7715993eaf26b', 'visible', 'unknown', 2, NULL, '2026-11-20 08:02:00+00');
INSERT INTO public.history_step VALUES (3, 2, 'a', 'Not done.', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'visible', 'not sent', 2, NULL, '2026-11-20 08:02:00+00');
INSERT INTO public.history_step VALUES (4, 0, '0000Müller & Köln 🛍 d800', 'Not done.', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'visible', 'refused', 2, '{"status": 409, "title": "Conflict", "detail": "Someone else changed it.", "instance": "/problems/1", "request_id": "r2"}', '2026-11-20 08:03:00+00');
INSERT INTO public.history_step VALUES (4, 1, '9522000010007', 'Not done.', '4747d0b73832d810fd81361af6f7715993eaf26b', 'visible', 'unknown', 2, NULL, '2026-11-20 08:03:00+00');
INSERT INTO public.history_step VALUES (4, 2, 'a', 'Not done.', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'visible', 'not sent', 2, NULL, '2026-11-20 08:03:00+00');
INSERT INTO public.history_step VALUES (5, 0, '0000Müller & Köln 🛍 d800', '', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'not visible', 'done', 1, NULL, '2026-11-20 08:10:00+00');
INSERT INTO public.history_step VALUES (5, 1, '9522000010007', '', '4747d0b73832d810fd81361af6f7715993eaf26b', 'not visible', 'done', 1, NULL, '2026-11-20 08:10:00+00');
INSERT INTO public.history_step VALUES (5, 2, 'a', '', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'not visible', 'done', 1, NULL, '2026-11-20 08:10:00+00');
INSERT INTO public.history_step VALUES (6, 0, 'c', '', 'ac14a9c38bdbef2d272a9137019ecd320cc09a8b', 'visible', 'done', 1, NULL, '2026-11-20 08:11:00+00');
INSERT INTO public.history_step VALUES (6, 1, 'b', '', '64378b99f14d471e88988d134be3742316500884', 'visible', 'already in place', 0, NULL, '2026-11-20 08:11:00+00');
INSERT INTO public.history_step VALUES (7, 0, 'b', '', '64378b99f14d471e88988d134be3742316500884', 'not visible', 'done', 1, NULL, '2026-11-20 08:12:00+00');
INSERT INTO public.history_step VALUES (7, 1, 'c', '', 'ac14a9c38bdbef2d272a9137019ecd320cc09a8b', 'not visible', 'done', 1, NULL, '2026-11-20 08:12:00+00');
INSERT INTO public.history_step VALUES (8, 0, '0000Müller & Köln 🛍 d800', '', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'visible', 'done', 1, NULL, '2026-11-20 08:13:00+00');
INSERT INTO public.history_step VALUES (8, 1, '9522000010007', '', '4747d0b73832d810fd81361af6f7715993eaf26b', 'visible', 'done', 1, NULL, '2026-11-20 08:13:00+00');
INSERT INTO public.history_step VALUES (8, 2, 'a', '', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'visible', 'done', 1, NULL, '2026-11-20 08:13:00+00');
INSERT INTO public.history_step VALUES (9, 0, '0000Müller & Köln 🛍 d800', '', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'visible', 'done', 1, NULL, '2026-11-20 08:14:00+00');
INSERT INTO public.history_step VALUES (9, 1, '9522000010007', '', '4747d0b73832d810fd81361af6f7715993eaf26b', 'visible', 'done', 1, NULL, '2026-11-20 08:14:00+00');
INSERT INTO public.history_step VALUES (9, 2, 'a', '', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'visible', 'done', 1, NULL, '2026-11-20 08:14:00+00');
INSERT INTO public.history_step VALUES (10, 0, '0000Müller & Köln 🛍 d800', '', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 'visible', 'unknown', 0, NULL, '2026-11-20 08:15:00+00');
INSERT INTO public.history_step VALUES (10, 1, '9522000010007', '', '4747d0b73832d810fd81361af6f7715993eaf26b', 'visible', 'unknown', 0, NULL, '2026-11-20 08:15:00+00');
INSERT INTO public.history_step VALUES (10, 2, 'a', '', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'visible', 'unknown', 0, NULL, '2026-11-20 08:15:00+00');
INSERT INTO public.history_step VALUES (11, 0, 'c', '', 'ac14a9c38bdbef2d272a9137019ecd320cc09a8b', 'visible', 'done', 0, NULL, '2026-11-21 00:40:00+00');
INSERT INTO public.history_step VALUES (11, 1, 'a', '', 'de302e90cb156cb45d58cdf8f5a1a15ed9362c74', 'not visible', 'done', 0, NULL, '2026-11-21 00:40:00+00');


--
-- Data for Name: job; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job VALUES (1, 'https://visibility.example.com/v1', 'production', 'job-reading', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'reading', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (2, 'https://visibility.example.com/v1', 'production', 'job-previewed', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'previewed', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (3, 'https://visibility.example.com/v1', 'production', 'job-queued', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'queued', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (5, 'https://visibility.example.com/v1', 'production', 'job-paused', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'paused', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (6, 'https://visibility.example.com/v1', 'production', 'job-cancelled', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'cancelled', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (7, 'https://visibility.example.com/v1', 'production', 'job-ended', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'ended', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (8, 'https://visibility.example.com/v1', 'production', 'retry', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'previewed', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, 'job-ended', NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (9, 'https://visibility.example.com/v1', 'production', 'undo', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'changes', 'queued', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, NULL, 'job-ended', NULL, NULL, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (4, 'https://visibility.example.com/v1', 'production', 'job-waiting', 'Häfen.xlsx', 'Ann Ames', '', 'no answer came in time', 'https://login.example.com ann-1', 'changes', 'waiting', '2026-11-20 08:00:00+00', NULL, NULL, '2026-11-20 08:20:00+00', '2026-11-20 08:21:00+00', NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.job VALUES (10, 'https://visibility.example.com/v1', 'production', 'job-running', 'Häfen.xlsx', 'Ann Ames', 'New season', '', 'https://login.example.com ann-1', 'changes', 'running', '2026-11-20 08:00:00+00', '2026-11-20 08:32:00+00', NULL, NULL, NULL, NULL, NULL, NULL, 39, 2, 5, 1, 1, 1, 4, 3, 41, 1, 2, 1, 1, 40, 2, 2, 2, 2, 2);
INSERT INTO public.job VALUES (11, 'https://visibility.example.com/v1', 'production', 'scan', 'Häfen.xlsx', 'Ann Ames', '', '', 'https://login.example.com ann-1', 'scan', 'reading', '2026-11-20 08:00:00+00', NULL, NULL, NULL, NULL, '2026-11-26 13:02:17.273453+00', NULL, NULL, NULL, NULL, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);


--
-- Data for Name: job_item; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_item VALUES (1, 0, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (2, 0, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (3, 0, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (4, 0, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (5, 0, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (6, 0, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (7, 0, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (10, 4, '9521000010000', 'not read', '', '', 'not read', false, NULL, '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (10, 0, '9521000010000', '09521000010017:100', '', '2,3;4;5', 'changes', false, '2026-11-20 08:30:00+00', 'ac250914ad19f7af8466f68b21c90effbbd3d510', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', NULL, '7f453f4a49222b7b25cfb37c1bb5c975bed8f802');
INSERT INTO public.job_item VALUES (10, 2, '9521000010000', '09521000010017:102', 'Unknown.', '', 'refused', false, '2026-11-20 08:30:00+00', '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (10, 3, '9521000010000', 'in place', '', '', 'nothing to do', false, '2026-11-20 08:30:00+00', '475e591624f8137b58471ff98b8f47f261d94022', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, '475e591624f8137b58471ff98b8f47f261d94022');
INSERT INTO public.job_item VALUES (10, 1, '9521000010000', '09521000010017:101', '', '6', 'large removals', true, '2026-11-20 08:30:00+00', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '475e591624f8137b58471ff98b8f47f261d94022', '39aead347af67eca68be993e0284e8fdcd453970');
INSERT INTO public.job_item VALUES (11, 2, '9521000010000', '09521000010017:100', '', '', 'not read', false, NULL, '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (11, 3, '9521000010000', '09521000010017:101', '', '', 'not read', false, NULL, '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (11, 4, '9521000010000', '09521000010017:102', '', '', 'not read', false, NULL, '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (11, 5, '9521000010000', '09521000010017:103', '', '', 'not read', false, NULL, '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (11, 6, '9521000010000', '09521000010017:104', '', '', 'not read', false, NULL, '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);
INSERT INTO public.job_item VALUES (11, 7, '9521000010000', '09521000010017:105', '', '', 'not read', false, NULL, '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', NULL, NULL);


--
-- Data for Name: job_row; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_row VALUES (10, 1, 0, 'r0', 'So it ended.', 'visible', 'done');
INSERT INTO public.job_row VALUES (10, 1, 1, 'r1', 'So it ended.', 'visible', 'already in place');
INSERT INTO public.job_row VALUES (10, 1, 2, 'r2', 'So it ended.', 'visible', 'refused');
INSERT INTO public.job_row VALUES (10, 1, 3, 'r3', 'So it ended.', 'visible', 'not sent');
INSERT INTO public.job_row VALUES (10, 1, 4, 'r4', 'So it ended.', 'visible', 'unknown');
INSERT INTO public.job_row VALUES (10, 1, 5, 'r5', 'So it ended.', 'not visible', 'done');
INSERT INTO public.job_row VALUES (10, 1, 6, 'r6', 'So it ended.', 'not visible', 'already in place');
INSERT INTO public.job_row VALUES (10, 1, 7, 'r7', 'So it ended.', 'not visible', 'refused');
INSERT INTO public.job_row VALUES (10, 1, 8, 'r8', 'So it ended.', 'not visible', 'not sent');
INSERT INTO public.job_row VALUES (10, 1, 9, 'r9', 'So it ended.', 'not visible', 'unknown');


--
-- Data for Name: job_skipped_row; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_skipped_row VALUES (10, 0, 7, '?', '0000Müller & Köln 🛍 d800', 'a;b', '', 'No.');


--
-- Data for Name: known_id; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.known_id VALUES (1, 'supplier', 'https://visibility.example.com/v1', '', '9521000010000', 'Harbour Mill Foods', '', '64242580a7d95099799de550b5bb6eda4ff0a8c9', 1);
INSERT INTO public.known_id VALUES (2, 'item', 'https://visibility.example.com/v1', '9521000010000', '09521000010017:100', 'Oat biscuits', '100', '63d84be020cc9f0abfe020e572ff1de078117d5d', 1);
INSERT INTO public.known_id VALUES (3, 'item', 'https://visibility.example.com/v1', '9521000010000', '09521000010017:101', 'Oat biscuits', '100', 'dacf4dffa7b04b2ac23021c3da1b3ef96cc0fb90', 1);
INSERT INTO public.known_id VALUES (4, 'item', 'https://visibility.example.com/v1', '9521000010000', '09521000010017:102', 'Oat biscuits', '100', 'fd10787ff7c9a22a5763f91d130a291db1cdb273', 1);
INSERT INTO public.known_id VALUES (5, 'item', 'https://visibility.example.com/v1', '9521000010000', '09521000010017:103', 'Oat biscuits', '100', 'bd6a81e79a22aaa23db672fd2dc0a82169ed760b', 1);
INSERT INTO public.known_id VALUES (6, 'item', 'https://visibility.example.com/v1', '9521000010000', '09521000010017:104', 'Oat biscuits', '100', '1cf6cbaa25cec7aad7cc649338297eb1bb5c2dfb', 1);
INSERT INTO public.known_id VALUES (7, 'item', 'https://visibility.example.com/v1', '9521000010000', '09521000010017:105', 'Oat biscuits', '100', 'a1662ac3a211ce3b8eaf0d5e66917197b76f901e', 1);
INSERT INTO public.known_id VALUES (8, 'recipient', 'https://visibility.example.com/v1', '', '9522000010007', 'Le Panier', '', '4747d0b73832d810fd81361af6f7715993eaf26b', 1);
INSERT INTO public.known_id VALUES (10, 'recipient', 'https://visibility.example.com/v1', '', '0000Müller & Köln 🛍 d800', 'Odd', '', '6b68acc2f8a67f57194e13c23ea006b683abf0ad', 1);


--
-- Data for Name: recent_item; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.recent_item VALUES ('https://visibility.example.com/v1', 'https://login.example.com ann-1', '63d84be020cc9f0abfe020e572ff1de078117d5d', '9521000010000', '09521000010017:100', '2026-11-20 08:05:00+00');


--
-- Data for Name: recipient_list; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.recipient_list VALUES ('09c6b710ee7324f0493746dd18f5256a9a6f80a4', '["b"]');
INSERT INTO public.recipient_list VALUES ('1860b08f69a7afe3b3b1a09151d8af2f0d7809ed', '["\u0000Müller & Köln 🛍 d800", "9522000010007", "a", "b"]');
INSERT INTO public.recipient_list VALUES ('b8ff61240a5ff6e3e9d94b9dda198ec3a16ddaad', '["b", "c"]');
INSERT INTO public.recipient_list VALUES ('29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '[]');
INSERT INTO public.recipient_list VALUES ('93dbb7333904b01719f915e6f688fa3e270727d6', '["\u0000Müller & Köln 🛍 d800", "9522000010007", "a"]');
INSERT INTO public.recipient_list VALUES ('18e595090484124e4283dd0d705306feb8d9a6fd', '["a", "b"]');
INSERT INTO public.recipient_list VALUES ('475e591624f8137b58471ff98b8f47f261d94022', '["a"]');
INSERT INTO public.recipient_list VALUES ('ac250914ad19f7af8466f68b21c90effbbd3d510', '["\u0000Müller & Köln 🛍 d800", "a"]');
INSERT INTO public.recipient_list VALUES ('39aead347af67eca68be993e0284e8fdcd453970', '["r0", "r1", "r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r2", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r3", "r30", "r31", "r32", "r33", "r34", "r35", "r36", "r37", "r38", "r39", "r4", "r5", "r6", "r7", "r8", "r9"]');
INSERT INTO public.recipient_list VALUES ('7f453f4a49222b7b25cfb37c1bb5c975bed8f802', '["b", "c", "d", "e", "f"]');


--
-- Data for Name: recipient_set; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.recipient_set VALUES ('https://visibility.example.com/v1', '9c73a6a1e0aaada1831dce35282ab57ea485098f', 'Märkte', 'markte', 'Ann Ames', '["\u0000Müller & Köln 🛍 d800", "9522000010007"]', '2026-11-20 08:03:00+00');
INSERT INTO public.recipient_set VALUES ('https://visibility.example.com/v1', '1b31e42f306fc9e728964d8de3bf909bc93eca0e', 'Nobody', 'nobody', 'Ann Ames', '[]', '2026-11-20 08:04:00+00');


--
-- Data for Name: seen_list; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.seen_list VALUES ('https://visibility.example.com/v1', 'dacf4dffa7b04b2ac23021c3da1b3ef96cc0fb90', '9521000010000', '09521000010017:101', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '["9522000010007"]', '', '2026-11-20 08:01:30+00', '2026-11-20 08:01:30+00');
INSERT INTO public.seen_list VALUES ('https://visibility.example.com/v1', 'fd10787ff7c9a22a5763f91d130a291db1cdb273', '9521000010000', '09521000010017:102', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '["9522000010007"]', '', '2026-11-20 08:02:30+00', '2026-11-20 08:02:30+00');
INSERT INTO public.seen_list VALUES ('https://visibility.example.com/v1', '63d84be020cc9f0abfe020e572ff1de078117d5d', '9521000010000', '09521000010017:100', '93dbb7333904b01719f915e6f688fa3e270727d6', '29aca0d6d3ef7dcfe240df0bcdf504beac2ae0b9', '[]', '', '2026-11-20 08:13:30+00', '2026-11-20 08:13:30+00');
INSERT INTO public.seen_list VALUES ('https://visibility.example.com/v1', 'bd6a81e79a22aaa23db672fd2dc0a82169ed760b', '9521000010000', '09521000010017:103', '1860b08f69a7afe3b3b1a09151d8af2f0d7809ed', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', '[]', '', '2026-11-20 08:14:30+00', '2026-11-20 08:14:30+00');
INSERT INTO public.seen_list VALUES ('https://visibility.example.com/v1', 'a1662ac3a211ce3b8eaf0d5e66917197b76f901e', '9521000010000', '09521000010017:105', '09c6b710ee7324f0493746dd18f5256a9a6f80a4', NULL, '[]', '', '2026-11-20 08:15:00+00', NULL);
INSERT INTO public.seen_list VALUES ('https://visibility.example.com/v1', '1cf6cbaa25cec7aad7cc649338297eb1bb5c2dfb', '9521000010000', '09521000010017:104', 'b8ff61240a5ff6e3e9d94b9dda198ec3a16ddaad', '18e595090484124e4283dd0d705306feb8d9a6fd', '[]', 'the service did not answer', '2026-11-21 00:40:00+00', NULL);


--
-- Data for Name: sign_out; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.sign_out VALUES ('https://login.example.com ann-1', 's1', '2026-11-20 08:00:00+00', '2026-11-20 08:01:00+00');
INSERT INTO public.sign_out VALUES ('ben@example.com', '', '2026-11-26 13:02:17+00', '2026-11-26 13:02:17.294226+00');


--
-- Name: history_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.history_id_seq', 11, true);


--
-- Name: job_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.job_id_seq', 11, true);


--
-- Name: known_id_number_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.known_id_number_seq', 10, true);


--
-- Name: alembic_version alembic_version_pkc; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);


--
-- Name: directory_version pk_directory_version; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.directory_version
    ADD CONSTRAINT pk_directory_version PRIMARY KEY (service, kind);


--
-- Name: history pk_history; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT pk_history PRIMARY KEY (id);


--
-- Name: history_step pk_history_step; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history_step
    ADD CONSTRAINT pk_history_step PRIMARY KEY (history_id, "position");


--
-- Name: job pk_job; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job
    ADD CONSTRAINT pk_job PRIMARY KEY (id);


--
-- Name: job_item pk_job_item; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_item
    ADD CONSTRAINT pk_job_item PRIMARY KEY (job_id, "position");


--
-- Name: job_row pk_job_row; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_row
    ADD CONSTRAINT pk_job_row PRIMARY KEY (job_id, "position", number);


--
-- Name: job_skipped_row pk_job_skipped_row; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_skipped_row
    ADD CONSTRAINT pk_job_skipped_row PRIMARY KEY (job_id, "position");


--
-- Name: known_id pk_known_id; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_id
    ADD CONSTRAINT pk_known_id PRIMARY KEY (number);


--
-- Name: recent_item pk_recent_item; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recent_item
    ADD CONSTRAINT pk_recent_item PRIMARY KEY (service, person, item_digest);


--
-- Name: recipient_list pk_recipient_list; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recipient_list
    ADD CONSTRAINT pk_recipient_list PRIMARY KEY (digest);


--
-- Name: recipient_set pk_recipient_set; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.recipient_set
    ADD CONSTRAINT pk_recipient_set PRIMARY KEY (service, digest);


--
-- Name: seen_list pk_seen_list; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.seen_list
    ADD CONSTRAINT pk_seen_list PRIMARY KEY (service, item_digest);


--
-- Name: sign_out pk_sign_out; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sign_out
    ADD CONSTRAINT pk_sign_out PRIMARY KEY (person, session);


--
-- Name: history uq_history_service; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT uq_history_service UNIQUE (service, key);


--
-- Name: job uq_job_service; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job
    ADD CONSTRAINT uq_job_service UNIQUE (service, environment, key);


--
-- Name: known_id uq_known_id_service; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.known_id
    ADD CONSTRAINT uq_known_id_service UNIQUE (service, kind, digest);


--
-- Name: ix_history_item_digest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_item_digest ON public.history USING btree (service, item_digest, started_at, id);


--
-- Name: ix_history_kind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_kind ON public.history USING btree (service, kind, started_at, id);


--
-- Name: ix_history_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_open ON public.history USING btree (service, ended_at, id);


--
-- Name: ix_history_person; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_person ON public.history USING btree (service, person, started_at, id);


--
-- Name: ix_history_step_recipient; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_step_recipient ON public.history_step USING btree (recipient_digest, started_at, history_id);


--
-- Name: ix_history_supplier; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_supplier ON public.history USING btree (service, supplier, started_at, id);


--
-- Name: ix_history_time; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_time ON public.history USING btree (service, started_at, id);


--
-- Name: ix_history_verdict; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_history_verdict ON public.history USING btree (service, verdict, started_at, id);


--
-- Name: ix_job_item_of_item; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_job_item_of_item ON public.job_item USING btree (supplier_item_id, is_ended, job_id);


--
-- Name: ix_job_item_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_job_item_open ON public.job_item USING btree (job_id, is_ended, "position");


--
-- Name: ix_job_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_job_newest ON public.job USING btree (service, environment, kind, id);


--
-- Name: ix_job_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_job_state ON public.job USING btree (service, environment, kind, state, id);


--
-- Name: ix_known_id_supplier; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_known_id_supplier ON public.known_id USING btree (service, kind, supplier);


--
-- Name: ix_known_id_version; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ix_known_id_version ON public.known_id USING btree (service, kind, version);


--
-- Name: history fk_history_after_digest; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT fk_history_after_digest FOREIGN KEY (after_digest) REFERENCES public.recipient_list(digest);


--
-- Name: history fk_history_before_digest; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history
    ADD CONSTRAINT fk_history_before_digest FOREIGN KEY (before_digest) REFERENCES public.recipient_list(digest);


--
-- Name: history_step fk_history_step_history_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.history_step
    ADD CONSTRAINT fk_history_step_history_id FOREIGN KEY (history_id) REFERENCES public.history(id) ON DELETE CASCADE;


--
-- Name: job_item fk_job_item_job_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_item
    ADD CONSTRAINT fk_job_item_job_id FOREIGN KEY (job_id) REFERENCES public.job(id) ON DELETE CASCADE;


--
-- Name: job_row fk_job_row_job_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_row
    ADD CONSTRAINT fk_job_row_job_id FOREIGN KEY (job_id) REFERENCES public.job(id) ON DELETE CASCADE;


--
-- Name: job_skipped_row fk_job_skipped_row_job_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_skipped_row
    ADD CONSTRAINT fk_job_skipped_row_job_id FOREIGN KEY (job_id) REFERENCES public.job(id) ON DELETE CASCADE;


--
-- Name: seen_list fk_seen_list_list_digest; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.seen_list
    ADD CONSTRAINT fk_seen_list_list_digest FOREIGN KEY (list_digest) REFERENCES public.recipient_list(digest);


--
-- PostgreSQL database dump complete
--


