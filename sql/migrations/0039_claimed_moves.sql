-- A person may import a transfer whose payment a restored database has forgotten, and the provider may name that payment
-- later. The payment then is the move (`imported_as`), and what the import took is given back by this movement.
ALTER TABLE unexplained_moves
  ADD COLUMN first_imported_as uuid,
  ADD COLUMN given_back uuid UNIQUE,
  ADD CONSTRAINT unexplained_moves_given_back CHECK (num_nulls(first_imported_as, given_back) IN (0, 2));

-- Two wallets may have used the same nonce: a client may name another wallet when it repeats its key. NULL: not known.
ALTER TABLE forgotten_nonces ADD COLUMN wallet_id uuid REFERENCES wallets;
