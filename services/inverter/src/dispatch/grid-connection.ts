import type { Capability } from '../capabilities/schema.ts'
import type { DeviceGateway } from './measure.ts'
import type { DispatchMode, DispatchRequest } from './schema.ts'

/** The grid connection of a house, which several inverters may share. */
export interface GridConnection {
  /** Largest power from the grid, watts; null for no limit. */
  limitW(): number | null
  /** The inverter whose sensor sees the connection of another one; that one itself where it does. */
  meterOf(deviceId: string): string
}

/** Every inverter at a connection of its own, without a limit. */
export const ownConnection: GridConnection = { limitW: () => null, meterOf: (deviceId) => deviceId }

/** What the dispatch of one device knows of its grid connection. */
export interface ConnectionView {
  /** Largest power from the grid, watts; null for no limit. */
  limitW(): number | null
  /** The inverter whose sensor sees the connection now; the device itself where it does. */
  meterId(): string
  /** The inverter with an id. Throws a `Problem` while it is not configured. */
  gatewayOf(meterId: string): DeviceGateway
  /** Operations of this mode at the same connection, at least one: what is missing is divided among them. */
  sharing(mode: DispatchMode): number
}

const gridSign = 'grid_power_sign_convention'

/** Returns true if an operation of the mode works with the power of the grid connection. */
export const needsGrid = (mode: DispatchRequest['mode'], limitW: number | null): boolean =>
  mode === 'discharge_to_load' || (mode === 'charge_from_grid' && limitW !== null)

/** The inverter whose grid power an operation of the mode reads: that of the connection, or the device where it needs none. */
export const meterFor = (mode: DispatchRequest['mode'], { deviceId, connection }: ConnectedDevice): string =>
  needsGrid(mode, connection.limitW()) ? connection.meterId() : deviceId

/** Returns true while an operation may go on with the grid power of the inverter that it began with. */
export const isMeterRight = (mode: DispatchMode, meterId: string, connection: ConnectionView): boolean =>
  !needsGrid(mode, connection.limitW()) || connection.meterId() === meterId

/** What the grid power of a device is read from; undefined for the device itself. */
export const otherMeter = (meterId: string, { deviceId, connection }: ConnectedDevice) =>
  meterId === deviceId ? undefined : () => connection.gatewayOf(meterId)

interface ConnectedDevice {
  readonly deviceId: string
  readonly connection: ConnectionView
}

/** The capabilities of a device, with the sign of the grid power of the inverter that measures it. */
export function withMeter(own: readonly Capability[], meter: readonly Capability[]): readonly Capability[] {
  return [...own.filter(({ name }) => name !== gridSign), ...meter.filter(({ name }) => name === gridSign)]
}

/** Returns true if a change of these capabilities concerns whoever reads the grid power of the device. */
export const changesGrid = (names: readonly string[] | undefined): boolean => names?.includes(gridSign) === true
