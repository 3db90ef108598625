-- A small database as version 0001 of the program made and filled it, as SQLite dumps it.
-- Two environments: a verified save, an undo that was refused in part, a save that was interrupted; names.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE history (
	id INTEGER NOT NULL, 
	environment TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	base_url TEXT NOT NULL, 
	supplier TEXT NOT NULL, 
	supplier_item_id TEXT NOT NULL, 
	item_digest VARCHAR(40) NOT NULL, 
	person TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	undo_of TEXT, 
	started_at DATETIME NOT NULL, 
	ended_at DATETIME, 
	verdict TEXT, 
	before_digest VARCHAR(40), 
	after_digest VARCHAR(40), 
	others_added TEXT NOT NULL, 
	others_removed TEXT NOT NULL, 
	message TEXT NOT NULL, 
	advice TEXT NOT NULL, 
	CONSTRAINT pk_history PRIMARY KEY (id), 
	CONSTRAINT fk_history_after_digest FOREIGN KEY(after_digest) REFERENCES recipient_list (digest), 
	CONSTRAINT fk_history_before_digest FOREIGN KEY(before_digest) REFERENCES recipient_list (digest), 
	CONSTRAINT uq_history_environment UNIQUE (environment, "key")
);
INSERT INTO "history" VALUES(1,'production','save-1','https://production.example.com/v1','4000001000005','04012345678901:276','ca9780eb21888cbf3e4c25ec2146e10407057455','ann','asked for by phone','edit',NULL,'2026-11-20 14:02:31.250000','2026-11-20 14:02:32.250000','verified','09f0d41a168fb775bfd40240a367af824aa33d5f','3198438f3b2d07de69d2bd99c1c62c5ef061d62f','["X"]','["\u00dc"]','','');
INSERT INTO "history" VALUES(2,'production','save-2','https://production.example.com/v1','4000001000005','04012345678901:276','ca9780eb21888cbf3e4c25ec2146e10407057455','ann','','undo','save-1','2026-11-20 14:02:31.250000','2026-11-20 14:02:32.250000','differs','3198438f3b2d07de69d2bd99c1c62c5ef061d62f','1b4c38e0ad866c2127cc8522fd8ec77bb69bface','[]','[]','Not everything.','Look again.');
INSERT INTO "history" VALUES(3,'production','save-3','https://production.example.com/v1','Lieferant Süd','x/../y','a382a7fe15cc44e2ac98ac2c80d2bbb67ce1b427','ann','','edit',NULL,'2026-11-20 14:02:31.250000',NULL,NULL,'3345524abf6bbe1809449224b5972c41790b6cf2',NULL,'[]','[]','','');
INSERT INTO "history" VALUES(4,'test','save-1','https://test.example.com/v1','4000001000005','04012345678901:276','ca9780eb21888cbf3e4c25ec2146e10407057455','ann','asked for by phone','edit',NULL,'2026-11-20 14:02:31.250000','2026-11-20 14:02:32.250000','verified','09f0d41a168fb775bfd40240a367af824aa33d5f','3198438f3b2d07de69d2bd99c1c62c5ef061d62f','["X"]','["\u00dc"]','','');
INSERT INTO "history" VALUES(5,'test','save-2','https://test.example.com/v1','4000001000005','04012345678901:276','ca9780eb21888cbf3e4c25ec2146e10407057455','ann','','undo','save-1','2026-11-20 14:02:31.250000','2026-11-20 14:02:32.250000','differs','3198438f3b2d07de69d2bd99c1c62c5ef061d62f','1b4c38e0ad866c2127cc8522fd8ec77bb69bface','[]','[]','Not everything.','Look again.');
INSERT INTO "history" VALUES(6,'test','save-3','https://test.example.com/v1','Lieferant Süd','x/../y','a382a7fe15cc44e2ac98ac2c80d2bbb67ce1b427','ann','','edit',NULL,'2026-11-20 14:02:31.250000',NULL,NULL,'3345524abf6bbe1809449224b5972c41790b6cf2',NULL,'[]','[]','','');
CREATE TABLE history_step (
	history_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	recipient_id TEXT NOT NULL, 
	recipient_digest VARCHAR(40) NOT NULL, 
	goal TEXT NOT NULL, 
	outcome TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	problem_status INTEGER, 
	problem_title TEXT, 
	problem_detail TEXT, 
	problem_instance TEXT, 
	message TEXT NOT NULL, 
	CONSTRAINT pk_history_step PRIMARY KEY (history_id, position), 
	CONSTRAINT fk_history_step_history_id FOREIGN KEY(history_id) REFERENCES history (id) ON DELETE CASCADE
);
INSERT INTO "history_step" VALUES(1,0,'C','05cef509a606b17a69e82e6a6cdd6e9770d06daa','visible','done',1,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(1,1,'A','9a5b79a2a0d7544062be1307180f8102d470b761','not visible','done',1,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(2,0,'A','9a5b79a2a0d7544062be1307180f8102d470b761','visible','done',1,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(2,1,'C','05cef509a606b17a69e82e6a6cdd6e9770d06daa','not visible','refused',2,400,'Bad','No','urn:x','refused');
INSERT INTO "history_step" VALUES(3,0,'0000','92c8d6a820b9d3971fe3e205f9d6d3c73e3db05f','visible','unknown',0,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(3,1,'päckchen','1370da0080297ef5003ae87f5dbfc867b7e970c8','visible','unknown',0,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(4,0,'C','05cef509a606b17a69e82e6a6cdd6e9770d06daa','visible','done',1,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(4,1,'A','9a5b79a2a0d7544062be1307180f8102d470b761','not visible','done',1,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(5,0,'A','9a5b79a2a0d7544062be1307180f8102d470b761','visible','done',1,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(5,1,'C','05cef509a606b17a69e82e6a6cdd6e9770d06daa','not visible','refused',2,400,'Bad','No','urn:x','refused');
INSERT INTO "history_step" VALUES(6,0,'0000','92c8d6a820b9d3971fe3e205f9d6d3c73e3db05f','visible','unknown',0,NULL,NULL,NULL,NULL,'');
INSERT INTO "history_step" VALUES(6,1,'päckchen','1370da0080297ef5003ae87f5dbfc867b7e970c8','visible','unknown',0,NULL,NULL,NULL,NULL,'');
CREATE TABLE known_item (
	environment TEXT NOT NULL, 
	supplier_digest VARCHAR(40) NOT NULL, 
	digest VARCHAR(40) NOT NULL, 
	supplier TEXT NOT NULL, 
	supplier_item_id TEXT NOT NULL, 
	market TEXT NOT NULL, 
	name TEXT NOT NULL, 
	folded_name TEXT NOT NULL, 
	CONSTRAINT pk_known_item PRIMARY KEY (environment, supplier_digest, digest)
)
 WITHOUT ROWID

;
INSERT INTO "known_item" VALUES('production','725956380ff6c56caa2c11bf6a1866b5d23ee736','ca9780eb21888cbf3e4c25ec2146e10407057455','4000001000005','04012345678901:276','276','Milch 3,5 %','milch 3,5 %');
INSERT INTO "known_item" VALUES('production','ee11fd1610b728389dd3ec83f38b06723d1452e6','a382a7fe15cc44e2ac98ac2c80d2bbb67ce1b427','Lieferant Süd','x/../y','','','');
INSERT INTO "known_item" VALUES('test','725956380ff6c56caa2c11bf6a1866b5d23ee736','ca9780eb21888cbf3e4c25ec2146e10407057455','4000001000005','04012345678901:276','276','Milch 3,5 %','milch 3,5 %');
INSERT INTO "known_item" VALUES('test','ee11fd1610b728389dd3ec83f38b06723d1452e6','a382a7fe15cc44e2ac98ac2c80d2bbb67ce1b427','Lieferant Süd','x/../y','','','');
CREATE TABLE known_recipient (
	environment TEXT NOT NULL, 
	digest VARCHAR(40) NOT NULL, 
	recipient_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	folded_name TEXT NOT NULL, 
	CONSTRAINT pk_known_recipient PRIMARY KEY (environment, digest)
)
 WITHOUT ROWID

;
INSERT INTO "known_recipient" VALUES('production','1370da0080297ef5003ae87f5dbfc867b7e970c8','päckchen','','');
INSERT INTO "known_recipient" VALUES('production','1fef1526560e2379906d660b11e72684d6c3f559','B','Berta','berta');
INSERT INTO "known_recipient" VALUES('production','9a5b79a2a0d7544062be1307180f8102d470b761','A','Anna','anna');
INSERT INTO "known_recipient" VALUES('test','1370da0080297ef5003ae87f5dbfc867b7e970c8','päckchen','','');
INSERT INTO "known_recipient" VALUES('test','1fef1526560e2379906d660b11e72684d6c3f559','B','Berta','berta');
INSERT INTO "known_recipient" VALUES('test','9a5b79a2a0d7544062be1307180f8102d470b761','A','Anna','anna');
CREATE TABLE known_supplier (
	environment TEXT NOT NULL, 
	digest VARCHAR(40) NOT NULL, 
	supplier TEXT NOT NULL, 
	name TEXT NOT NULL, 
	folded_name TEXT NOT NULL, 
	CONSTRAINT pk_known_supplier PRIMARY KEY (environment, digest)
)
 WITHOUT ROWID

;
INSERT INTO "known_supplier" VALUES('production','725956380ff6c56caa2c11bf6a1866b5d23ee736','4000001000005','Molkerei Łódź','molkerei lodz');
INSERT INTO "known_supplier" VALUES('production','ee11fd1610b728389dd3ec83f38b06723d1452e6','Lieferant Süd','','');
INSERT INTO "known_supplier" VALUES('test','725956380ff6c56caa2c11bf6a1866b5d23ee736','4000001000005','Molkerei Łódź','molkerei lodz');
INSERT INTO "known_supplier" VALUES('test','ee11fd1610b728389dd3ec83f38b06723d1452e6','Lieferant Süd','','');
CREATE TABLE recent_item (
	environment TEXT NOT NULL, 
	person TEXT NOT NULL, 
	item_digest VARCHAR(40) NOT NULL, 
	supplier TEXT NOT NULL, 
	supplier_item_id TEXT NOT NULL, 
	used_at DATETIME NOT NULL, 
	CONSTRAINT pk_recent_item PRIMARY KEY (environment, person, item_digest)
);
INSERT INTO "recent_item" VALUES('production','ann','ca9780eb21888cbf3e4c25ec2146e10407057455','4000001000005','04012345678901:276','2026-11-20 14:02:31.250000');
INSERT INTO "recent_item" VALUES('test','ann','ca9780eb21888cbf3e4c25ec2146e10407057455','4000001000005','04012345678901:276','2026-11-20 14:02:31.250000');
CREATE TABLE recipient_list (
	digest VARCHAR(40) NOT NULL, 
	recipients TEXT NOT NULL, 
	CONSTRAINT pk_recipient_list PRIMARY KEY (digest)
);
INSERT INTO "recipient_list" VALUES('09f0d41a168fb775bfd40240a367af824aa33d5f','["A", "B"]');
INSERT INTO "recipient_list" VALUES('3198438f3b2d07de69d2bd99c1c62c5ef061d62f','["B", "C"]');
INSERT INTO "recipient_list" VALUES('1b4c38e0ad866c2127cc8522fd8ec77bb69bface','["A", "B", "C"]');
INSERT INTO "recipient_list" VALUES('3345524abf6bbe1809449224b5972c41790b6cf2','[]');
CREATE TABLE service_fact (
	environment TEXT NOT NULL, 
	fact TEXT NOT NULL, 
	value TEXT NOT NULL, 
	observed_at DATETIME NOT NULL, 
	CONSTRAINT pk_service_fact PRIMARY KEY (environment, fact)
);
INSERT INTO "service_fact" VALUES('production','put','merges','2026-11-20 14:02:31.250000');
INSERT INTO "service_fact" VALUES('test','put','merges','2026-11-20 14:02:31.250000');
CREATE INDEX ix_history_item ON history (environment, item_digest, id);
CREATE INDEX ix_history_newest ON history (environment, id);
CREATE INDEX ix_history_open ON history (environment, id) WHERE ended_at IS NULL;
CREATE INDEX ix_history_person ON history (environment, person, id);
CREATE INDEX ix_history_step_recipient ON history_step (recipient_digest, history_id);
COMMIT;
