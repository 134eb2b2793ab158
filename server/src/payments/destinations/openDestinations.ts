import { PayError } from '../../core/errors.ts';
import { familyOf, isZeroAddress, readAddressOf } from '../../core/families.ts';
import type { Chain, Hex } from '../../core/ports.ts';
import { checkDestination, type Refusal } from '../../custody/coins/checkDestination.ts';
import { parseAddress } from './parseAddress.ts';

interface Destination {
  /** Checksummed for 0x addresses. */
  readonly address: string;
  /** The token's current objection to the address. */
  findRefusal(): Promise<PayError | undefined>;
}

/** Where payments can go: addresses on the blockchains that this service is connected to. */
export interface Destinations {
  readonly blockchains: readonly string[];
  /** Throws `blockchain.unsupported` or `address.invalid`. */
  parse(blockchain: string, text: string): Destination;
  /** The token's current answer for each of many addresses. Throws if the chain does not answer. */
  screen(blockchain: string, addresses: readonly string[]): Promise<Screened>;
}

interface Screened {
  readonly isPaused: boolean;
  readonly blacklisted: readonly boolean[];
}

/** Addresses per question. */
const SCREENED = 200;

export function openDestinations(chains: readonly Chain[]): Destinations {
  const networks = new Map(
    chains.flatMap((chain) => {
      const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC');
      return usdc
        ? [[chain.blockchain, { chain, contract: usdc.contract, refusals: checkDestination(chain, usdc.contract) }]]
        : [];
    }),
  );
  return {
    blockchains: [...networks.keys()],
    parse(blockchain, text) {
      const network = networks.get(blockchain);
      if (!network) throw new PayError('blockchain.unsupported', { blockchain });
      const address = parseDestination(text, network.chain);
      return { address, findRefusal: async () => toError(await network.refusals.check(address as Hex)) };
    },
    async screen(blockchain, addresses) {
      const network = networks.get(blockchain);
      if (!network) throw new PayError('blockchain.unsupported', { blockchain });
      const blacklisted: boolean[] = [];
      let isPaused = false;
      for (let at = 0; at < addresses.length; at += SCREENED) {
        const some = addresses.slice(at, at + SCREENED) as Hex[];
        const said = await network.chain.readRefusals(network.contract, some);
        isPaused ||= said.isPaused;
        blacklisted.push(...said.blacklisted);
      }
      return { isPaused, blacklisted };
    },
  };
}

function parseDestination(text: string, chain: Chain): string {
  const family = familyOf(chain.blockchain);
  const address = family === 'evm' ? parseAddress(text) : readAddressOf(family, text);
  if (address === undefined) throw new PayError('address.invalid', { reason: 'form' });
  if (isZeroAddress(address)) throw new PayError('address.invalid', { reason: 'zero' });
  if (chain.tokens.some(({ contract }) => contract.toLowerCase() === address.toLowerCase())) {
    throw new PayError('address.invalid', { reason: 'token_contract' });
  }
  return address;
}

/** A payment that is certain to fail is not accepted. */
function toError(said: Refusal | undefined): PayError | undefined {
  if (said?.isPaused) return new PayError('service.paused', { reason: 'the USDC contract is paused' });
  if (said?.isBlacklisted) return new PayError('address.blocked', { party: 'the destination' });
  return undefined;
}
