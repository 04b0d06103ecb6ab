import { createHash } from 'node:crypto'
import { OpenIdError } from './openid-error.ts'
import type { OpenIdConfig } from './settings.ts'

/** Statements of the provider about a person: the ID token's, completed by those of the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string }

/** A person whom the provider proved, and who may sign in. */
export interface OpenIdIdentity {
  /** Issuer and subject together name a person for ever; names and addresses may change hands. */
  readonly issuer: string
  readonly subject: string
  /** The person's name at the provider, for the security log. */
  readonly name: string
  /** A name for a user here: letters, digits and single `.`, `-`, `_` between them, 3 to 50 characters. */
  readonly username: string
  /** In lower case; undefined when the provider states none that is one. */
  readonly email: string | undefined
  /** Undefined when no groups of administrators are configured: roles are then given here. */
  readonly role: 'admin' | 'user' | undefined
  /** The provider's name of the session there, where it tells of its end. */
  readonly sid?: string
}

type GroupRules = Pick<OpenIdConfig, 'allowedGroups' | 'adminGroups' | 'groupsClaim'>

/** Returns the person that claims are about. Throws an `OpenIdError` when their groups do not let them in. */
export function identityOf(claims: Claims, rules: GroupRules): OpenIdIdentity {
  const { allowedGroups, adminGroups, groupsClaim } = rules
  if (claims.sub.length > 255 || /\p{Cc}/u.test(claims.sub))
    throw new OpenIdError('openid_invalid', 'the subject is longer than 255 characters, or holds control characters')
  const groups = groupsOf(claims[groupsClaim])
  const name = nameOf(claims)
  const isIn = (list: readonly string[]) => list.some((group) => groups.includes(group))
  const isAdministrator = isIn(adminGroups)
  if (!isAdministrator && allowedGroups !== 'everyone' && !isIn(allowedGroups))
    throw new OpenIdError('openid_not_allowed', notAllowed(groupsClaim, claims), { person: name })
  return {
    issuer: claims.iss,
    subject: claims.sub,
    name,
    username: usernameOf(claims),
    email: emailOf(claims),
    ...(typeof claims['sid'] === 'string' && { sid: claims['sid'] }),
    role: adminGroups.length === 0 ? undefined : isAdministrator ? 'admin' : 'user',
  }
}

/** Most failures here are a provider that does not state groups, so the message says it. */
function notAllowed(claim: string, claims: Claims): string {
  const isStated = claims[claim] !== undefined
  return isStated ? 'none of the person’s groups may sign in' : `the provider states no claim "${claim}"`
}

/** A list of names, or one name. */
function groupsOf(claim: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return list.filter((group) => typeof group === 'string')
}

function nameOf(claims: Claims): string {
  const { preferred_username: username, email, name } = claims
  return (textOf(username) ?? textOf(email) ?? textOf(name) ?? claims.sub).slice(0, 128)
}

function emailOf({ email }: Claims): string | undefined {
  const address = textOf(email)?.toLowerCase() ?? ''
  return address.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address) ? address : undefined
}

function usernameOf(claims: Claims): string {
  const { preferred_username: username, email, name } = claims
  const wanted = [username, email, name].map((claim) => toUsername(textOf(claim) ?? ''))
  const hash = createHash('sha256').update(`${claims.iss} ${claims.sub}`).digest('hex')
  return wanted.find((candidate) => candidate.length >= 3) ?? `user-${hash.slice(0, 8)}`
}

/** Makes a name valid: `Zoë.O'Neil@example.org` becomes `zoe.o-neil`. */
function toUsername(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const [local = ''] = plain.split('@')
  const separated = local.replaceAll(/[^a-z0-9._-]+/g, '-').replaceAll(/[._-]{2,}/g, '-')
  return separated
    .replace(/^[._-]+/, '')
    .slice(0, 50)
    .replace(/[._-]+$/, '')
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : undefined
}
