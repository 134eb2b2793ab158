-- Lists the other wallets of a wallet's owner from which its payments may have been made before a restore, because the
-- owner's wallet has moved. If the wallet is newer than the other one and older than the restore, it had taken its place
-- before. Operators may record a restore late, up to a day.
CREATE OR REPLACE FUNCTION list_earlier_wallets(p_wallet uuid) RETURNS SETOF wallets LANGUAGE sql STABLE AS $$
  WITH wallet AS (SELECT * FROM wallets WHERE wallet_id = p_wallet),
       other AS (SELECT o.* FROM wallet JOIN wallets o USING (user_id)
                 UNION ALL
                 SELECT o.* FROM wallet JOIN wallets o ON wallet.user_id IS NULL AND o.kind = 'treasury')
  SELECT other.* FROM wallet, other
   WHERE other.wallet_id <> p_wallet AND other.replaced_at IS NULL AND other.family = wallet.family
     AND (wallet.created_at < other.created_at
          OR EXISTS (SELECT FROM restores WHERE noted_at < wallet.created_at + interval '1 day'))
$$;
