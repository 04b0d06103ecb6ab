export {
  createGuardedFetch,
  createOpenGuarded,
  type GuardedAnswer,
  type GuardedFetch,
  type GuardedRequest,
  type GuardedStream,
  type OpenGuarded,
} from './guarded-fetch.ts'
export { normaliseHost } from './host-name.ts'
export { allowAddresses, createOutboundAllow, outboundAllow, type OutboundAllow } from './outbound-allow.ts'
export { OutboundFailed, OutboundRefused, type FailureKind, type RefusalReason } from './outbound-error.ts'
export {
  createOutboundPolicy,
  pinnedLookup,
  type Destination,
  type OutboundPolicy,
  type PolicyOptions,
  type Resolver,
} from './outbound-policy.ts'
export { isPublicAddress } from './public-address.ts'
