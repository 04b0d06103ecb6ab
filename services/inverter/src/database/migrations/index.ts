import type { Migrations } from '@hearth/database'
import * as initial from './0001-initial.ts'
import * as deviceSerial from './0002-device-serial.ts'
import * as sessionOrigin from './0003-session-origin.ts'
import * as notifications from './0004-notifications.ts'
import * as securityLog from './0005-security-log.ts'
import * as passkeys from './0006-passkeys.ts'
import * as openId from './0007-openid.ts'
import * as mqtt from './0008-mqtt.ts'
import * as energyHistory from './0009-energy-history.ts'
import * as plans from './0010-plans.ts'
import * as parameterSnapshots from './0011-parameter-snapshots.ts'
import * as plant from './0012-plant.ts'
import * as openIdConnection from './0013-openid-connection.ts'

/** All steps, oldest first. */
export const migrations: Migrations = {
  '0001-initial': initial,
  '0002-device-serial': deviceSerial,
  '0003-session-origin': sessionOrigin,
  '0004-notifications': notifications,
  '0005-security-log': securityLog,
  '0006-passkeys': passkeys,
  '0007-openid': openId,
  '0008-mqtt': mqtt,
  '0009-energy-history': energyHistory,
  '0010-plans': plans,
  '0011-parameter-snapshots': parameterSnapshots,
  '0012-plant': plant,
  '0013-openid-connection': openIdConnection,
}
