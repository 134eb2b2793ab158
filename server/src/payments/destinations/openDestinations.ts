import { PayError } from '../../core/errors.ts';
import { familyOf, isZeroAddress, readAddressOf } from '../../core/families.ts';
import type { Chain, Hex } from '../../core/ports.ts';
import { checkDestination } from '../../custody/coins/checkDestination.ts';
import { parseAddress } from './parseAddress.ts';
import type { Screen, Screening } from './screenDestinations.ts';

/** The destinations that payments can go to: addresses on the blockchains that this service is connected to. */
export interface Destinations extends Screening {
  readonly blockchains: readonly string[];
  /** Checksummed for 0x addresses. Throws `blockchain.unsupported` or `address.invalid`. */
  parse(blockchain: string, text: string): { readonly address: string };
}

/** Addresses per call to the chain. */
const MAX_ASKED = 200;

/** `currency`: the currency of the payments. */
export function openDestinations(chains: readonly Chain[], currency: string, screen?: Screen): Destinations {
  const networks = new Map(
    chains.flatMap((chain) => {
      const token = chain.tokens.find(({ symbol }) => symbol === currency);
      return token
        ? [[chain.blockchain, { chain, contract: token.contract, refusals: checkDestination(chain, token.contract) }]]
        : [];
    }),
  );
  function getNetwork(blockchain: string) {
    const network = networks.get(blockchain);
    if (!network) throw new PayError('blockchain.unsupported', { blockchain });
    return network;
  }
  return {
    blockchains: [...networks.keys()],
    screen,
    parse: (blockchain, text) => ({ address: parseDestination(text, getNetwork(blockchain).chain) }),
    async askToken(blockchain, addresses, isUrgent = false) {
      const { chain, contract, refusals } = getNetwork(blockchain);
      if (isUrgent) {
        const said = await Promise.all(addresses.map((address) => refusals.check(address as Hex)));
        return {
          isPaused: said.some((one) => one?.isPaused),
          blacklisted: said.map((one) => one?.isBlacklisted === true),
        };
      }
      const blacklisted: boolean[] = [];
      let isPaused = false;
      for (let at = 0; at < addresses.length; at += MAX_ASKED) {
        const some = addresses.slice(at, at + MAX_ASKED) as Hex[];
        const said = await chain.readRefusals(contract, some);
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
