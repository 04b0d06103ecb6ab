import {
  allowAddresses,
  createGuardedFetch,
  createOpenGuarded,
  createOutboundPolicy,
  type GuardedFetch,
  type OpenGuarded,
  type OutboundAllow,
} from '@hearth/outbound'

/** The way to the server of releases. */
export interface ReleaseWeb {
  readonly fetch: GuardedFetch
  readonly open: OpenGuarded
  /** Address of a path of its API. */
  apiUrl(path: string): string
  /** Whether the files of releases are really there: at the server itself, or at the one the default server names. */
  isFileUrl(text: string): boolean
}

const defaultApi = 'https://api.github.com'
const defaultFiles = 'https://github.com'

/** @param base the operator's own server, which is exempt from the guard because the operator named it */
export function createReleaseWeb(base: string | undefined, allow: OutboundAllow): ReleaseWeb {
  const api = (base ?? defaultApi).replace(/\/+$/, '')
  const origins = new Set([new URL(api).origin, defaultFiles])
  const policy = createOutboundPolicy(allowAddresses(allow, [base]))
  return {
    fetch: createGuardedFetch(policy),
    open: createOpenGuarded(policy),
    apiUrl: (path) => `${api}${path}`,
    isFileUrl: (text) => URL.canParse(text) && origins.has(new URL(text).origin),
  }
}
