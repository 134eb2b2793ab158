-- The people whose event it is: who pays, who is paid, who asks and who is asked, whose check it is. Empty for payments
-- out of the treasury.
CREATE OR REPLACE FUNCTION event_people(p_source text, p_seq bigint, p_subject uuid) RETURNS uuid[]
  LANGUAGE sql STABLE AS $$
  SELECT CASE p_source
    WHEN 'kyc_events' THEN ARRAY[p_subject]
    WHEN 'money_request_events' THEN
      (SELECT array_remove(ARRAY[m.asker_id, m.payer_id], NULL) FROM money_requests m WHERE m.request_id = p_subject)
    WHEN 'payment_events' THEN
      (SELECT array_remove(ARRAY[a.user_id], NULL) FROM transfers t JOIN accounts a ON a.account_id = t.debit_account
        WHERE t.transfer_id = p_subject AND t.kind = 'hold')
    ELSE
      (SELECT array_remove(ARRAY[d.user_id, c.user_id], NULL) FROM transfers t
         JOIN accounts d ON d.account_id = t.debit_account JOIN accounts c ON c.account_id = t.credit_account
        WHERE t.seq = p_seq) END
$$;
