-- From now on, this identity at an OpenID issuer logs in to the console as this operator. The operator's database
-- password is needed too. An identity belongs to one operator: linking it again moves it.
CREATE OR REPLACE FUNCTION link_operator(p_name text, p_issuer text, p_subject text) RETURNS void LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_arguments('link_operator', num_nulls(p_name, p_issuer, p_subject) = 0);
  PERFORM require_operator('operators');
  INSERT INTO operator_identities AS known (issuer, subject, name) VALUES (p_issuer, p_subject, p_name)
  ON CONFLICT (issuer, subject) DO UPDATE SET name = excluded.name, added_at = excluded.added_at
  WHERE known.name <> excluded.name;
  PERFORM write_audit('operator:' || session_user, 'operator.linked', NULL,
    jsonb_build_object('name', p_name, 'issuer', p_issuer));
END $$;
