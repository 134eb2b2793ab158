-- What the workers know against the nodes of the blockchains: `/readyz` and the metrics show it. Written only by the room
-- `custody`. A row that no worker has confirmed for a minute is over.
CREATE TABLE node_faults (
  blockchain text NOT NULL CHECK (blockchain ~ '^[A-Z0-9][A-Z0-9-]{1,31}$'),
  -- Host and port only: the rest of a node's URL may hold a key.
  host       text NOT NULL CHECK (length(host) BETWEEN 1 AND 300 AND host !~ '[/@?]'),
  kind       text NOT NULL CHECK (kind IN ('silent', 'behind', 'no state', 'contradicts')),
  -- What it was asked about when it was first noticed.
  about      text NOT NULL CHECK (length(about) BETWEEN 1 AND 200),
  times      integer NOT NULL CHECK (times > 0),
  since      timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (blockchain, host)
);
