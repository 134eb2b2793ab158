import { z } from 'zod';
import { findSessionAttributes, listHosts } from '../../db/hosts.ts';
import type { Variable } from './shapes.ts';

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/ });

/** Several hosts of a cluster may be named, with commas between them. */
const databaseUrl = z
  .string()
  .refine((text) => listHosts(text).every((one) => postgresUrl.safeParse(one).success), 'is not a postgres:// URL')
  .refine(
    (text) => [undefined, 'primary', 'read-write'].includes(findSessionAttributes(text)),
    'has another target_session_attrs than read-write: Florin writes, so it looks for the primary by itself',
  );

/** Where the database is. */
export const databaseVariables = {
  DATABASE_URL: {
    schema: databaseUrl,
    says: "PostgreSQL 15 or newer, with the login of this process: one that is a member of the database's server, worker or operator role (docs/operating/database-roles.md). Several hosts of a cluster with commas between them: the primary is found, and found again after a failover.",
    example: 'postgres://florin_api:password@db.internal:5432/florin?sslmode=verify-full',
    secret: true,
  },
  FLORIN_OWNER_DATABASE_URL: {
    schema: databaseUrl.optional(),
    says: 'Only for `florin migrate`: the same database with a login that may change its tables (default: DATABASE_URL). Keep it away from servers and workers.',
    example: 'postgres://florin_migrate:password@db.internal:5432/florin?sslmode=verify-full',
    secret: true,
  },
  FLORIN_DATABASE_CONNECTIONS: {
    schema: z.coerce.number().int().min(2).max(500).default(10),
    says: 'Largest number of database connections of one process.',
    example: '10',
  },
} satisfies Record<string, Variable>;
