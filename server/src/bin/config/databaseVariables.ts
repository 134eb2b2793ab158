import { z } from 'zod';
import { findSessionAttributes, listHosts } from '../../db/hosts.ts';
import type { Variable } from './shapes.ts';

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });

/** Can name several hosts of a cluster, separated by commas. */
const databaseUrl = z
  .string()
  .refine((text) => listHosts(text).every((one) => postgresUrl.safeParse(one).success), 'is not a postgres:// URL')
  .refine(
    (text) => [undefined, 'primary', 'read-write'].includes(findSessionAttributes(text)),
    'has another target_session_attrs than read-write: Florin writes, so it looks for the primary by itself',
  );

/** For standbys; each host is asked whether it is one. */
const readUrl = z
  .string()
  .refine((text) => listHosts(text).every((one) => postgresUrl.safeParse(one).success), 'is not a postgres:// URL')
  .refine(
    (text) => findSessionAttributes(text) === undefined,
    'has target_session_attrs: every host is asked by itself whether it is a standby',
  );

/** The database connections. */
export const databaseVariables = {
  DATABASE_URL: {
    schema: databaseUrl,
    help: "PostgreSQL 15 or newer, with the login of this process: a member of the database's server, worker or operator role (docs/operating/database-roles.md). List all hosts of a cluster, separated by commas: Florin finds the primary, also after a failover.",
    example: 'postgres://florin_api:password@db.internal:5432/florin?sslmode=verify-full',
    secret: true,
  },
  FLORIN_OWNER_DATABASE_URL: {
    schema: databaseUrl.optional(),
    help: 'Only for `florin migrate`: the same database with a login that may change its tables (default: DATABASE_URL). Do not give it to servers and workers.',
    example: 'postgres://florin_migrate:password@db.internal:5432/florin?sslmode=verify-full',
    secret: true,
  },
  FLORIN_DATABASE_READ_URL: {
    schema: readUrl.optional(),
    help: 'Standbys of the same database, from which servers read histories, balances, limits and payments. Florin uses a standby only if it has everything that was acknowledged before, and otherwise the primary. List each host, without a pooler or load balancer in between. Use the login of DATABASE_URL, which must also be a member of pg_read_all_stats. Unset: Florin reads everything from the primary (docs/operating/high-availability.md).',
    example: 'postgres://florin_api:password@db2.internal,db3.internal:5432/florin?sslmode=verify-full',
    secret: true,
  },
  FLORIN_DATABASE_CONNECTIONS: {
    schema: z.coerce.number().int().min(2).max(500).default(10),
    help: 'The size of the database connection pool of one process. Processes also open some dedicated connections: a server has about twenty connections with the default.',
    example: '10',
  },
} satisfies Record<string, Variable>;
