/** Tells every test file, and the processes it starts, where the PostgreSQL of its project is. */
import { inject } from 'vitest';

process.env.FLORIN_TEST_DATABASE_URL = inject('databaseUrl');
process.env.FLORIN_TEST_LOGINS = JSON.stringify(inject('logins'));
