-- The key of a session's refresh tokens is derived from the service's secret and the session's id (ADR 10), so that a
-- token can be told from a forgery before anything is read. Sessions from before it sign in again.
delete from auth_session;
alter table auth_session drop column refresh_key_sealed;
