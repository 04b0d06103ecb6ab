import type { Migrations } from '@hearth/database'
import * as initial from './0001-initial.ts'
import * as sessionOrigin from './0002-session-origin.ts'
import * as notifications from './0003-notifications.ts'
import * as securityLog from './0004-security-log.ts'
import * as passkeys from './0005-passkeys.ts'
import * as tokens from './0006-tokens.ts'
import * as sound from './0007-sound.ts'
import * as tags from './0008-tags.ts'
import * as feeds from './0009-feeds.ts'
import * as shares from './0010-shares.ts'
import * as library from './0011-library.ts'
import * as platformPauses from './0012-platform-pauses.ts'
import * as lists from './0013-lists.ts'
import * as storage from './0014-storage.ts'
import * as workbench from './0015-workbench.ts'
import * as exportRoom from './0016-export-room.ts'
import * as openIdConnection from './0017-openid-connection.ts'

/** Every step, oldest first. A step that was released is never changed; see docs/how-to/add-a-migration.md. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-session-origin': sessionOrigin,
  '0003-notifications': notifications,
  '0004-security-log': securityLog,
  '0005-passkeys': passkeys,
  '0006-tokens': tokens,
  '0007-sound': sound,
  '0008-tags': tags,
  '0009-feeds': feeds,
  '0010-shares': shares,
  '0011-library': library,
  '0012-platform-pauses': platformPauses,
  '0013-lists': lists,
  '0014-storage': storage,
  '0015-workbench': workbench,
  '0016-export-room': exportRoom,
  '0017-openid-connection': openIdConnection,
}
