-- Whether an argument is a plain list of `p_length` elements: one dimension, numbered from 1. PostgreSQL also accepts
-- arrays of other shapes, and reading a position that such an array does not have yields NULL.
CREATE OR REPLACE FUNCTION is_list(p_list anyarray, p_length integer) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT cardinality(p_list) = p_length AND (p_length = 0 OR array_ndims(p_list) = 1 AND array_upper(p_list, 1) = p_length)
$$;
