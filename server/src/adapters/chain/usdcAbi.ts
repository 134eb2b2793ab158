import { parseAbi, toEventSelector } from 'viem/utils';

/** The functions of FiatTokenV2_2 (USDC's contract) that we call. */
export const usdcAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function balanceOf(address account) view returns (uint256)',
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

export const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
]);

export const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
export const AUTHORIZATION_USED = toEventSelector('AuthorizationUsed(address,bytes32)');
export const AUTHORIZATION_CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');
export const BLACKLISTED = toEventSelector('Blacklisted(address)');
export const PAUSE = toEventSelector('Pause()');
export const UNPAUSE = toEventSelector('Unpause()');
