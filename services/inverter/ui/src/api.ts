import {
  answer,
  createApiClient,
  createSessionStore,
  createPortalConnectionApi,
  createSignInMethodsApi,
} from '@hearth/ui'
import type { components, paths } from './api.gen.ts'

/** The bodies of the API by name. */
export type Schemas = components['schemas']
export type AdminDevice = Schemas['AdminDevice']
export type MetricValue = Schemas['MetricValue']
export type DeviceHealth = Schemas['DeviceHealth']
export type DeviceReadiness = Schemas['DeviceReadiness']
export type Parameter = Schemas['Parameter']
export type Token = Schemas['Token']
export type SettingsView = Schemas['SettingsView']
export type GatewaySettings = Schemas['GatewaySettings']
export type DashboardLayout = Schemas['DashboardLayout']
export type Transports = Schemas['Transports']
export type RecordedFrame = Schemas['RecordedFrame']
export type JournalRecord = Schemas['JournalRecord']
export type Capability = Schemas['Capability']
export type EnergyDevice = Schemas['EnergyDevice']
export type EnergyAction = Schemas['EnergyAction']
export type EnergyCommand = Schemas['EnergyCommand']
export type MqttView = Schemas['MqttView']
export type MqttChange = Schemas['MqttChange']
export type SharedPortView = Schemas['SharedPortView']
export type EnergyHistory = Schemas['EnergyHistory']
export type EnergyBucket = Schemas['EnergyBucket']
export type HistoryView = Schemas['HistoryView']
export type PlantNow = Schemas['PlantNow']
export type PlantSettings = Schemas['PlantSettings']
export type DevicePlan = Schemas['DevicePlan']
export type PlanPastDay = Schemas['PlanPastDay']
export type PlanSettingsView = Schemas['PlanSettingsView']
export type PlanChange = Schemas['PlanChange']
export type TimeSeriesView = Schemas['TimeSeriesView']
export type TimeSeriesChange = Schemas['TimeSeriesChange']
export type Snapshot = Schemas['Snapshot']
export type SnapshotList = Schemas['SnapshotList']
export type SnapshotDifference = Schemas['SnapshotDifference']
export type DispatchPreview = Schemas['DispatchPreview']

/** The session of this page. */
export const session = createSessionStore('/admin/api/session')

/** The service's API, typed by its OpenAPI document. */
export const api = createApiClient<paths>(session)

/** Passkeys and recovery codes. */
export const signInMethods = createSignInMethodsApi({ session, prefix: '/admin/api' })

/** The connection to a Hearth portal. */
export const portalConnection = createPortalConnectionApi({ session, prefix: '/admin/api' })

/** Names of cached answers; an event that says `changed` names the same collections. */
export const keys = {
  devices: ['devices'],
  parameters: ['parameters'],
  settings: ['settings'],
  tokens: ['tokens'],
  sessions: ['sessions'],
  capabilities: ['capabilities'],
  values: ['values'],
  health: ['health'],
  layout: ['layout'],
  release: ['release'],
  transports: ['transports'],
  frames: ['frames'],
  journal: ['journal'],
  energy: ['energy'],
  mqtt: ['mqtt'],
  sharedPort: ['shared-port'],
  history: ['energy-history'],
  timeSeries: ['time-series'],
  plans: ['plans'],
  snapshots: ['snapshots'],
  inverterSearch: ['inverter-search'],
  plant: ['plant'],
} as const

/** All devices with address, state and limits. */
export const readDevices = async () => (await answer(api.GET('/admin/api/devices'))).devices

/** Settings, what the environment decides, and whether writing is allowed. */
export const readSettings = () => answer(api.GET('/admin/api/settings'))

/** Saves the settings as a whole. */
export async function saveSettings(body: GatewaySettings): Promise<{ message: string }> {
  await answer(api.PUT('/admin/api/settings', { body }))
  return { message: 'Settings saved' }
}

/** Settings and state of the shared ports. */
export const readSharedPort = () => answer(api.GET('/admin/api/shared-port'))

/** Settings and state of MQTT. */
export const readMqtt = () => answer(api.GET('/admin/api/mqtt'))

/** Settings and state of the time series. */
export const readTimeSeries = () => answer(api.GET('/admin/api/time-series'))

/** Settings and state of the energy history. */
export const readHistoryView = () => answer(api.GET('/admin/api/energy-history'))

/** Settings of the plans. */
export const readPlanSettings = () => answer(api.GET('/admin/api/plan'))

/** The plan of a device. */
export const readPlan = (deviceId: string) =>
  answer(api.GET('/api/v1/devices/{device_id}/plan', { params: { path: { device_id: deviceId } } }))

/** What the days cost on which plans were carried out. */
export const readPlanDays = (deviceId: string) =>
  answer(api.GET('/api/v1/devices/{device_id}/plan/days', { params: { path: { device_id: deviceId } } }))

/** What was planned for a day, and what happened. */
export const readPlanDay = (deviceId: string, date: string) =>
  answer(api.GET('/api/v1/devices/{device_id}/plan/days/{date}', { params: { path: { device_id: deviceId, date } } }))

/** The networks of the host, and the search for inverters in them. */
export const readInverterSearch = () => answer(api.GET('/admin/api/inverter-search'))

/** The snapshots of the parameters of one device, and the reading under way. */
export const readSnapshots = (deviceId: string) =>
  answer(api.GET('/admin/api/devices/{device_id}/snapshots', { params: { path: { device_id: deviceId } } }))

/** Balance and course of a period. */
export const readHistory = (deviceId: string, query: { period: EnergyHistory['period']; date: string }) =>
  answer(api.GET('/api/v1/devices/{device_id}/energy-history', { params: { path: { device_id: deviceId }, query } }))

/** Stands for the plant where an inverter is named: in its history and its plan. */
export const plantId = '@plant'

/** Which inverters are the plant. */
export const readPlantSettings = async () => (await answer(api.GET('/admin/api/plant'))).settings

/** What the inverters of the plant do together now. */
export const readPlant = () => answer(api.GET('/api/v1/plant'))

/** All objects of the catalog with what is shown and what may be written. */
export const readParameters = async () => (await answer(api.GET('/admin/api/parameters'))).parameters

/** Reads the capabilities of one device. */
export const readCapabilities = async (deviceId: string) =>
  (
    await answer(
      api.GET('/admin/api/dispatch/devices/{device_id}/capabilities', { params: { path: { device_id: deviceId } } }),
    )
  ).capabilities

/** The Energy Manager of every device. */
export const readEnergy = async () => (await answer(api.GET('/admin/api/energy/devices'))).devices

/** Reads the other Hearth services that answer. */
export const readNeighbours = async () => (await answer(api.GET('/admin/api/neighbours'))).services
