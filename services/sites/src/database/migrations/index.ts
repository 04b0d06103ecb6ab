import type { Migrations } from '@hearth/database'
import * as initial from './0001-initial.ts'
import * as certificates from './0002-certificates.ts'
import * as traffic from './0003-traffic.ts'
import * as sites from './0004-sites.ts'
import * as uniqueServers from './0005-unique-servers.ts'
import * as sessionOrigin from './0006-session-origin.ts'
import * as notifications from './0007-notifications.ts'
import * as securityLog from './0008-security-log.ts'
import * as openId from './0009-openid.ts'
import * as tokens from './0010-tokens.ts'
import * as portal from './0011-portal.ts'
import * as certificateOrders from './0012-certificate-orders.ts'
import * as uptime from './0013-uptime.ts'
import * as openIdProvider from './0014-openid-provider.ts'
import * as reach from './0015-reach.ts'
import * as nodeConfigs from './0016-node-configs.ts'
import * as certificateRevocations from './0017-certificate-revocations.ts'
import * as externalAccounts from './0018-external-accounts.ts'
import * as failedOrders from './0019-failed-orders.ts'

/** Every step, oldest first. A step that was released is never changed; see docs/how-to/add-a-migration.md. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-certificates': certificates,
  '0003-traffic': traffic,
  '0004-sites': sites,
  '0005-unique-servers': uniqueServers,
  '0006-session-origin': sessionOrigin,
  '0007-notifications': notifications,
  '0008-security-log': securityLog,
  '0009-openid': openId,
  '0010-tokens': tokens,
  '0011-portal': portal,
  '0012-certificate-orders': certificateOrders,
  '0013-uptime': uptime,
  '0014-openid-provider': openIdProvider,
  '0015-reach': reach,
  '0016-node-configs': nodeConfigs,
  '0017-certificate-revocations': certificateRevocations,
  '0018-external-accounts': externalAccounts,
  '0019-failed-orders': failedOrders,
}
