import type { WrongCase } from './settings-conformance.ts'
import type { WrongPaths } from './wrong-settings.ts'

const named = { PUBLIC_URL: 'http://localhost:8104', OIDC_ISSUER: 'https://id.example.org', OIDC_CLIENT_ID: 'hearth' }
const provider = { ...named, OIDC_CLIENT_SECRET: 'a-secret', OIDC_ALLOWED_GROUPS: 'family' }

const inWords = {
  OIDC_NAME: 'none',
  OIDC_GROUPS_CLAIM: 'none',
  OIDC_SCOPES: 'none',
} as const

/** The settings of sign-in through an OpenID Connect provider, which all services share, for `testSettings`. */
export const openIdSettingCases = {
  samples: {
    OIDC_ISSUER: provider,
    OIDC_CLIENT_ID: provider,
    OIDC_CLIENT_SECRET: provider,
    OIDC_CLIENT_SECRET_FILE: { ...named, OIDC_CLIENT_SECRET_FILE: '/elsewhere/secret', OIDC_ALLOWED_GROUPS: '*' },
    OIDC_NAME: { ...provider, OIDC_NAME: 'House account' },
    OIDC_ALLOWED_GROUPS: provider,
    OIDC_ADMIN_GROUPS: { ...provider, OIDC_ADMIN_GROUPS: 'admins' },
    OIDC_GROUPS_CLAIM: { ...provider, OIDC_GROUPS_CLAIM: 'roles' },
    OIDC_SCOPES: { ...provider, OIDC_SCOPES: 'openid roles' },
  },
  inWords,
  ownForms: { OIDC_SCOPES: ['profile', 'email groups', 'OpenID'] },
  nothingWrong: {
    OIDC_CLIENT_ID: 'the provider chooses it',
    OIDC_CLIENT_SECRET: 'the provider chooses it',
    OIDC_NAME: 'it is a text for people',
    OIDC_ALLOWED_GROUPS: 'the provider names its groups',
    OIDC_ADMIN_GROUPS: 'the provider names its groups',
    OIDC_GROUPS_CLAIM: 'the provider names its claims',
  },
  /** Environments that `serve` refuses. */
  alsoWrong: ({ nowhere }: Pick<WrongPaths, 'nowhere'>): WrongCase[] => [
    ['OIDC_CLIENT_ID', { OIDC_CLIENT_ID: 'hearth' }],
    ['OIDC_ALLOWED_GROUPS', { ...named, OIDC_CLIENT_SECRET: 'a-secret' }],
    ['OIDC_CLIENT_SECRET_FILE', { ...named, OIDC_CLIENT_SECRET_FILE: nowhere, OIDC_ALLOWED_GROUPS: '*' }],
  ],
} as const
