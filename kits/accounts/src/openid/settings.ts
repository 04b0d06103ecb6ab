import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkFile, commaList, filePath, OperatorError, settingKind, webAddress } from '@hearth/runtime'
import { z } from 'zod'
import { isSecureOrLocal } from './connection/portal-address.ts'

const text = z.string().meta(settingKind('text'))
const groupList = commaList.meta(settingKind('text')).optional()

/** The settings of sign-in through an OpenID Connect provider, for the schema of a service's settings. */
export const openIdSettings = {
  OIDC_ISSUER: webAddress
    .refine(isAcceptable, 'must be an https address; http is for a provider on this machine')
    .refine((address) => !/[?#]/.test(address), 'must be an address without ? and #')
    .optional(),
  OIDC_CLIENT_ID: text.optional(),
  OIDC_CLIENT_SECRET: text.optional(),
  OIDC_CLIENT_SECRET_FILE: filePath.optional(),
  OIDC_NAME: z.string().max(60, 'must have at most 60 characters').meta(settingKind('text')).optional(),
  OIDC_ALLOWED_GROUPS: groupList,
  OIDC_ADMIN_GROUPS: groupList,
  OIDC_GROUPS_CLAIM: text.optional(),
  OIDC_SCOPES: z
    .string()
    .refine((scopes) => scopes.split(/\s+/).includes('openid'), 'must be scopes separated by spaces, openid among them')
    .meta(settingKind('own form'))
    .optional(),
}

type OpenIdSettings = z.infer<z.ZodObject<typeof openIdSettings>>

/** An OpenID Connect provider and whom it lets in. */
export interface OpenIdConfig {
  readonly issuer: string
  readonly clientId: string
  /** Undefined when the file has it. */
  readonly clientSecret: string | undefined
  readonly clientSecretFile: string | undefined
  /** The provider's name on the button. */
  readonly name: string
  /** Groups that may sign in, beside those of administrators; `everyone` for all whom the provider lets in. */
  readonly allowedGroups: readonly string[] | 'everyone'
  /** Groups of administrators; empty when the provider says nothing of roles. */
  readonly adminGroups: readonly string[]
  /** The claim that lists the groups of a person. */
  readonly groupsClaim: string
  /** Undefined for the usual ones. */
  readonly scopes: string | undefined
  /** The address of the service as people see it, without a slash at its end. */
  readonly publicUrl: string
}

/**
 * Returns the part of a service's configuration that its `openIdSettings` say: undefined without a provider. Throws an
 * `OperatorError` that names the setting which is missing, or which has no effect.
 */
export function openIdConfig(settings: OpenIdSettings & { PUBLIC_URL?: string | undefined }): {
  openId: OpenIdConfig | undefined
} {
  const { OIDC_ISSUER: issuer, PUBLIC_URL: publicUrl } = settings
  if (issuer === undefined) {
    const lonely = Object.keys(openIdSettings).find((name) => settings[name as keyof OpenIdSettings] !== undefined)
    if (lonely !== undefined) throw new OperatorError(`${lonely}: needs OIDC_ISSUER, the address of the provider`)
    return { openId: undefined }
  }
  if (publicUrl === undefined)
    throw new OperatorError('PUBLIC_URL: is needed with OIDC_ISSUER; the provider sends people back to it')
  const clientId = needed(settings, 'OIDC_CLIENT_ID')
  const { OIDC_CLIENT_SECRET: clientSecret, OIDC_CLIENT_SECRET_FILE: file } = settings
  if (clientSecret === undefined && file === undefined)
    throw new OperatorError('OIDC_CLIENT_SECRET: is needed with OIDC_ISSUER, or OIDC_CLIENT_SECRET_FILE')
  if (clientSecret !== undefined && file !== undefined)
    throw new OperatorError('OIDC_CLIENT_SECRET_FILE: is set beside OIDC_CLIENT_SECRET; set one of them')
  return {
    openId: {
      issuer,
      clientId,
      clientSecret,
      clientSecretFile: file === undefined ? undefined : resolve(file),
      name: settings.OIDC_NAME ?? 'OpenID Connect',
      ...groupsOf(settings),
      groupsClaim: settings.OIDC_GROUPS_CLAIM ?? 'groups',
      scopes: settings.OIDC_SCOPES,
      publicUrl: publicUrl.replace(/\/+$/, ''),
    },
  }
}

/** Reads the client's secret. Throws an `OperatorError` when its file cannot be read or is empty. */
export function readClientSecret({ clientSecret, clientSecretFile: file }: OpenIdConfig): string {
  if (file === undefined) return clientSecret ?? ''
  checkFile('OIDC_CLIENT_SECRET_FILE', file)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret === '') throw new OperatorError(`OIDC_CLIENT_SECRET_FILE: ${file} is empty`)
  return secret
}

/** Nobody gets in by an oversight: who may sign in has to be said. */
function groupsOf(settings: OpenIdSettings): Pick<OpenIdConfig, 'allowedGroups' | 'adminGroups'> {
  const { OIDC_ALLOWED_GROUPS: allowed = [], OIDC_ADMIN_GROUPS: adminGroups = [] } = settings
  if (allowed.length === 0 && adminGroups.length === 0)
    throw new OperatorError(
      'OIDC_ALLOWED_GROUPS: must name the groups that may sign in, or be * for everybody whom the provider lets in',
    )
  if (adminGroups.includes('*')) throw new OperatorError('OIDC_ADMIN_GROUPS: must name groups; * is no group')
  const isEveryone = allowed.includes('*')
  if (isEveryone && allowed.length > 1)
    throw new OperatorError('OIDC_ALLOWED_GROUPS: must be * alone, or a list of groups')
  return { allowedGroups: isEveryone ? 'everyone' : allowed, adminGroups }
}

function needed(settings: OpenIdSettings, name: 'OIDC_CLIENT_ID'): string {
  const value = settings[name]
  if (value === undefined) throw new OperatorError(`${name}: is needed with OIDC_ISSUER`)
  return value
}

function isAcceptable(address: string): boolean {
  return !URL.canParse(address) || isSecureOrLocal(new URL(address))
}
