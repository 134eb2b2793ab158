/**
 * `adapters/rates` reads prices: from Chainlink's feeds on a connected blockchain, from an HTTP service or from a
 * subgraph. Prices are only shown; no payment is computed from one.
 */
import type { Hex } from '../../core/ports.ts';

export interface Feed {
  readonly address: Hex;
  /** The feed's heartbeat plus a margin. Currency feeds do not update at weekends, so their rates are stale then. */
  readonly maxAgeSeconds: number;
}

const daily = (address: Hex): Feed => ({ address, maxAgeSeconds: 86_400 + 3_600 });
const hourly = (address: Hex): Feed => ({ address, maxAgeSeconds: 3_600 + 600 });

/**
 * On some chains a pair has several feeds. These are the general ones; the others are proxies for a single protocol.
 */
export const feeds: Readonly<Record<string, Readonly<Record<string, Feed>>>> = {
  ETH: {
    'USDC/USD': daily('0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6'),
    'ETH/USD': hourly('0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419'),
    'EUR/USD': daily('0xb49f677943BC038e9857d61E7d053CaA2C1734C1'),
  },
  'ETH-SEPOLIA': {
    'USDC/USD': daily('0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E'),
    'ETH/USD': hourly('0x694AA1769357215DE4FAC081bf1f309aDC325306'),
    'EUR/USD': daily('0x1a81afB8146aeFfCFc5E50e8479e826E7D55b910'),
  },
  BASE: {
    'USDC/USD': daily('0x7e860098F58bBFC8648a4311b374B1D669a2bc6B'),
    'ETH/USD': hourly('0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70'),
    'EUR/USD': daily('0xc91D87E81faB8f93699ECf7Ee9B44D11e1D53F0F'),
  },
  'BASE-SEPOLIA': {
    'USDC/USD': daily('0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165'),
    'ETH/USD': hourly('0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1'),
  },
  ARB: {
    'USDC/USD': daily('0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3'),
    'ETH/USD': hourly('0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612'),
    'EUR/USD': daily('0xA14d53bC1F1c0F31B4aA3BD109344E5009051a84'),
  },
  'ARB-SEPOLIA': {
    'USDC/USD': daily('0x0153002d20B96532C639313c2d54c3dA09109309'),
    'ETH/USD': hourly('0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165'),
  },
  MATIC: {
    'USDC/USD': daily('0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7'),
    'ETH/USD': hourly('0xF9680D99D6C9589e2a93a78A04A279e509205945'),
    'EUR/USD': daily('0x73366Fe0AA0Ded304479862808e02506FE556a98'),
  },
  'MATIC-AMOY': { 'USDC/USD': daily('0x1b8739bB4CdF0089d07097A9Ae5Bd274b29C6F16') },
  OP: {
    'USDC/USD': daily('0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3'),
    'ETH/USD': hourly('0x13e3Ee699D1909E989722E753853AE30b17e08c5'),
    'EUR/USD': daily('0x3626369857A10CcC6cc3A6e4f5C2f5984a519F20'),
  },
  AVAX: {
    'USDC/USD': daily('0xF096872672F44d6EBA71458D74fe67F9a77a23B9'),
    'EUR/USD': daily('0x192f2DBA961Bb0277520C082d6bfa87D5961333E'),
  },
};

/**
 * Feeds that report whether a rollup's sequencer is up. While it is down, and shortly after, the rollup's price feeds
 * show old prices as new.
 */
export const sequencerFeeds: Readonly<Record<string, Hex>> = {
  ARB: '0xFdB631F5EE196F0ed6FAa767959853A9F217697D',
  OP: '0x371EAD81c9102C9BF4874A9075FFFf170F2Ee389',
  BASE: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433',
};
