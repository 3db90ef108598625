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
-- Name: signing_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_key (
    "only" smallint NOT NULL,
    secret text NOT NULL
);


--
-- Name: visibility; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.visibility (
    supplier text NOT NULL COLLATE pg_catalog."C",
    supplier_item_id text NOT NULL COLLATE pg_catalog."C",
    recipient_id text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: visibility_service_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.visibility_service_version (
    version_num character varying(32) NOT NULL
);


--
-- Data for Name: signing_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_key VALUES (1, 'the signing key of a sample, which no service uses');


--
-- Data for Name: visibility; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.visibility VALUES ('S', 'I', 'Müller');
INSERT INTO public.visibility VALUES ('S', 'I', 'a');
INSERT INTO public.visibility VALUES ('S', 'J', 'b');


--
-- Data for Name: visibility_service_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.visibility_service_version VALUES ('0001');


--
-- Name: signing_key signing_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY ("only");


--
-- Name: visibility visibility_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visibility
    ADD CONSTRAINT visibility_pkey PRIMARY KEY (supplier, supplier_item_id, recipient_id);


--
-- Name: visibility_service_version visibility_service_version_pkc; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.visibility_service_version
    ADD CONSTRAINT visibility_service_version_pkc PRIMARY KEY (version_num);


--
-- PostgreSQL database dump complete
--


