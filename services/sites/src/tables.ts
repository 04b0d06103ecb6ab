import type { TokenTables } from '@hearth/accounts'
import { notificationTableNames, type NotificationTables } from '@hearth/notifications'
import type { AccountTables } from './accounts/tables.ts'
import { acmeTableNames, type AcmeTables } from './acme/tables.ts'
import { certificateTableNames, type CertificateTables } from './certificates/tables.ts'
import type { NodeTables } from './deploy/nodes/tables.ts'
import type { ApplyTables } from './deploy/tables.ts'
import { openIdProviderTableNames, type OpenIdProviderTables } from './openid-provider/tables.ts'
import { portalTableNames, type PortalTables } from './portal/tables.ts'
import type { SettingTables } from './settings/settings.ts'
import type { SiteTables } from './sites/tables.ts'
import type { TokenPermissions } from './tokens/schema.ts'
import { trafficTableNames, type TrafficTables } from './traffic/tables.ts'
import { uptimeTableNames, type UptimeTables } from './uptime/tables.ts'
import { vpnLinkTableNames, type VpnLinkTables } from './vpn-link/tables.ts'

/** All tables of the service. Times are milliseconds since the epoch, switches 0 or 1, lists JSON text. */
export interface Tables
  extends
    AccountTables,
    SettingTables,
    SiteTables,
    NodeTables,
    ApplyTables,
    CertificateTables,
    AcmeTables,
    TrafficTables,
    UptimeTables,
    NotificationTables,
    PortalTables,
    OpenIdProviderTables,
    VpnLinkTables,
    TokenTables<TokenPermissions> {
  facts: FactRow
}

/** A fact the service knows about its own database, such as which key belongs to it. */
export interface FactRow {
  name: string
  value: string
}

/**
 * Every table that is backed up, those that others refer to first. Sessions, challenges and attempts are not: a restore must
 * not sign anybody in, and their rows are deleted with their users. So are tokens of applications, and who signed in to which.
 */
export const tableNames = [
  'facts',
  'settings',
  'users',
  'openid_identities',
  'tokens',
  'recovery_codes',
  'passkeys',
  'security_events',
  ...portalTableNames,
  ...openIdProviderTableNames,
  'sites',
  'site_domains',
  'site_versions',
  'nodes',
  'node_configs',
  'site_states',
  'revisions',
  'revision_sites',
  ...certificateTableNames,
  ...acmeTableNames,
  ...trafficTableNames,
  ...uptimeTableNames,
  ...notificationTableNames,
  ...vpnLinkTableNames,
] as const
