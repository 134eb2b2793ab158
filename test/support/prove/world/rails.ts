import { eip3009Rail } from '../../../../server/src/custody/eip3009/eip3009Rail.ts';
import { providerRail } from '../../../../server/src/custody/provider/providerRail.ts';
import type { Rails } from '../../../../server/src/custody/rail.ts';

export const RAILS: Rails = { local: eip3009Rail, circle: eip3009Rail, circle_send: providerRail };
