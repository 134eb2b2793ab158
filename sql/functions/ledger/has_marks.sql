-- Whether all three marks of an id are set among the bits of its group: each is the bit that two of its last six bytes say,
-- scaled to the 64,512 bits that there are. Never change it; see `id_group`.
CREATE OR REPLACE FUNCTION has_marks(p_id uuid, p_bits bytea) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT get_bit(p_bits, (get_byte(uuid_send(p_id), 10) * 256 + get_byte(uuid_send(p_id), 11)) * 63 / 64) = 1
     AND get_bit(p_bits, (get_byte(uuid_send(p_id), 12) * 256 + get_byte(uuid_send(p_id), 13)) * 63 / 64) = 1
     AND get_bit(p_bits, (get_byte(uuid_send(p_id), 14) * 256 + get_byte(uuid_send(p_id), 15)) * 63 / 64) = 1
$$;
