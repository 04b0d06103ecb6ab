import { NotificationError } from '../notification-error.ts'
import type { NotificationTarget, NotificationTargetValues, TargetKind } from './schema.ts'

/** The secret of each kind: its member, and whether a destination may be without. */
interface Secrets {
  webhook: { secret: string }
  ntfy: { token: string | null }
  gotify: { token: string }
  email: { password: string | null }
}

/** A destination's address with its secrets, of one kind. */
export type TargetOf<Kind extends TargetKind> = Omit<Extract<NotificationTarget, { kind: Kind }>, 'has_secret'> &
  Secrets[Kind]

/** A destination's address with its secrets, as it is sealed. */
export type Target = { [Kind in TargetKind]: TargetOf<Kind> }[TargetKind]

/**
 * Returns the target to store: a secret that the request leaves out is that of the stored target. A stored token or password is
 * kept only for the same server, so that nobody who may change a destination can have it sent elsewhere.
 */
export function targetToStore(input: NotificationTargetValues, stored: Target | undefined): Target {
  const same = stored?.kind === input.kind ? stored : undefined
  switch (input.kind) {
    case 'webhook':
      return { ...input, secret: input.secret ?? secretOf(same) ?? missing('secret', 'is missing') }
    case 'ntfy':
      return { ...input, token: kept(input, same, 'token') ?? null }
    case 'gotify':
      return { ...input, token: kept(input, same, 'token') ?? missing('token', 'is missing') }
    case 'email': {
      const password = kept(input, same, 'password') ?? null
      if (input.username !== null && password === null) missing('password', 'is missing; a user name needs one')
      return { ...input, password: input.username === null ? null : password }
    }
  }
}

function kept(input: NotificationTargetValues, stored: Target | undefined, member: string): string | null | undefined {
  const given = secretOf(input)
  const before = secretOf(stored)
  if (given !== undefined || stored === undefined || before === undefined || before === null) return given
  if (serverOf(input) !== serverOf(stored)) missing(member, 'must be entered again, because the server is another')
  return before
}

const secretOf = (target: Target | NotificationTargetValues | undefined): string | null | undefined => {
  switch (target?.kind) {
    case undefined:
      return undefined
    case 'webhook':
      return target.secret
    case 'email':
      return target.password
    case 'ntfy':
    case 'gotify':
      return target.token
  }
}

/** The server that gets the secret. */
function serverOf(target: Target | NotificationTargetValues): string {
  switch (target.kind) {
    case 'webhook':
      return new URL(target.url).origin
    case 'email':
      return `${target.host.toLowerCase()}:${target.port} ${target.security}`
    case 'ntfy':
    case 'gotify':
      return new URL(target.server).href
  }
}

function missing(member: string, message: string): never {
  throw new NotificationError({ kind: 'invalid', member: `target.${member}`, message })
}

/** Returns a target without its secrets. */
export function describeTarget(target: Target): NotificationTarget {
  const has = secretOf(target) !== null
  switch (target.kind) {
    case 'webhook': {
      const { secret: _, ...rest } = target
      return { ...rest, has_secret: has }
    }
    case 'email': {
      const { password: _, ...rest } = target
      return { ...rest, has_secret: has }
    }
    case 'ntfy': {
      const { token: _, ...rest } = target
      return { ...rest, has_secret: has }
    }
    case 'gotify': {
      const { token: _, ...rest } = target
      return { ...rest, has_secret: has }
    }
  }
}
