-- Whether all three bits of an id are set in the Bloom filter of its group. Two of the id's last six bytes, scaled to
-- 64,512, select each bit. Never change this function; see `id_group`.
CREATE OR REPLACE FUNCTION has_marks(p_id uuid, p_bits bytea) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT get_bit(p_bits, (get_byte(uuid_send(p_id), 10) * 256 + get_byte(uuid_send(p_id), 11)) * 63 / 64) = 1
     AND get_bit(p_bits, (get_byte(uuid_send(p_id), 12) * 256 + get_byte(uuid_send(p_id), 13)) * 63 / 64) = 1
     AND get_bit(p_bits, (get_byte(uuid_send(p_id), 14) * 256 + get_byte(uuid_send(p_id), 15)) * 63 / 64) = 1
$$;
