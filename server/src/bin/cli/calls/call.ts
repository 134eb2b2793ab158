import type { Noun } from '../../program/command.ts';
import { show } from './showCall.ts';

export default {
  about: 'Calls of the APIs, by the request id that every answer has.',
  verbs: { show },
} satisfies Noun;
