import type { Migrations } from '@hearth/database'
import * as initial from './0001-initial.ts'
import * as dns from './0002-dns.ts'
import * as lists from './0003-lists.ts'
import * as traffic from './0004-traffic.ts'
import * as uniqueRules from './0005-unique-rules.ts'
import * as sessionOrigin from './0006-session-origin.ts'
import * as notifications from './0007-notifications.ts'
import * as securityLog from './0008-security-log.ts'
import * as passkeys from './0009-passkeys.ts'
import * as openId from './0010-openid.ts'
import * as setupLinks from './0011-setup-links.ts'
import * as peerTags from './0012-peer-tags.ts'
import * as peerConnections from './0013-peer-connections.ts'
import * as peerLimits from './0014-peer-limits.ts'
import * as peerQuotas from './0015-peer-quotas.ts'
import * as localRecords from './0016-local-records.ts'
import * as peerNames from './0017-peer-names.ts'
import * as dnsZones from './0018-dns-zones.ts'
import * as accessRules from './0019-access-rules.ts'
import * as peerNetworks from './0020-peer-networks.ts'
import * as keyRotation from './0021-key-rotation.ts'
import * as dnsProfiles from './0022-dns-profiles.ts'
import * as privateDns from './0023-private-dns.ts'
import * as safeSearch from './0024-safe-search.ts'
import * as tunnelPage from './0025-tunnel-page.ts'
import * as hints from './0026-hints.ts'
import * as nodes from './0027-nodes.ts'
import * as nodeInterfaces from './0028-node-interfaces.ts'
import * as nodeDns from './0029-node-dns.ts'
import * as standbyNodes from './0030-standby-nodes.ts'
import * as standbyFiles from './0031-standby-files.ts'
import * as managedRecords from './0032-managed-records.ts'
import * as openIdConnection from './0033-openid-connection.ts'

/** Every step, oldest first. A step that was released is never changed; see docs/how-to/add-a-migration.md. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-dns': dns,
  '0003-lists': lists,
  '0004-traffic': traffic,
  '0005-unique-rules': uniqueRules,
  '0006-session-origin': sessionOrigin,
  '0007-notifications': notifications,
  '0008-security-log': securityLog,
  '0009-passkeys': passkeys,
  '0010-openid': openId,
  '0011-setup-links': setupLinks,
  '0012-peer-tags': peerTags,
  '0013-peer-connections': peerConnections,
  '0014-peer-limits': peerLimits,
  '0015-peer-quotas': peerQuotas,
  '0016-local-records': localRecords,
  '0017-peer-names': peerNames,
  '0018-dns-zones': dnsZones,
  '0019-access-rules': accessRules,
  '0020-peer-networks': peerNetworks,
  '0021-key-rotation': keyRotation,
  '0022-dns-profiles': dnsProfiles,
  '0023-private-dns': privateDns,
  '0024-safe-search': safeSearch,
  '0025-tunnel-page': tunnelPage,
  '0026-hints': hints,
  '0027-nodes': nodes,
  '0028-node-interfaces': nodeInterfaces,
  '0029-node-dns': nodeDns,
  '0030-standby-nodes': standbyNodes,
  '0031-standby-files': standbyFiles,
  '0032-managed-records': managedRecords,
  '0033-openid-connection': openIdConnection,
}
