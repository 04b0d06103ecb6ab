import { DecodeError } from './wire-value.ts'

/** Contents of `net.slave_data` for one device of a plant. Unlike most of the protocol it is little endian. */
export interface SlaveData {
  /** The address of the device. */
  readonly networkId: number
  readonly name: string
  /** Watts; null when the device has no number for it. */
  readonly acPower: number | null
  /** Watts. */
  readonly batteryPower: number | null
  /** 0 to 1. */
  readonly stateOfCharge: number | null
  readonly faultIndex: number
  readonly isBatterySupported: boolean
  readonly isBatteryConnected: boolean
  readonly isDcSupported: boolean
  readonly hasExternalPower: boolean
  readonly deviceState: number
  /** Watts. */
  readonly externalPower: number | null
  readonly softwareVersion: string
  readonly serialNumber: string
  readonly completeness: number
  readonly bmsSoftware: number
}

const width = 108
const equipment = { isBatterySupported: 1, isBatteryConnected: 2, isDcSupported: 4, hasExternalPower: 8 } as const

/** Reads the payload of `net.slave_data`. Throws a DecodeError unless it has 108 bytes. */
export function decodeSlaveData(payload: Uint8Array): SlaveData {
  if (payload.length !== width)
    throw new DecodeError('wrong_width', `${payload.length} bytes where slave data has ${width}`)
  const view = new DataView(payload.buffer, payload.byteOffset, width)
  const number = (at: number) => finite(view.getFloat32(at, true))
  const bits = view.getUint8(42)
  return {
    networkId: view.getUint32(0, true),
    name: textAt(payload, 4, 24),
    acPower: number(28),
    batteryPower: number(32),
    stateOfCharge: number(36),
    faultIndex: view.getUint16(40, true),
    isBatterySupported: (bits & equipment.isBatterySupported) !== 0,
    isBatteryConnected: (bits & equipment.isBatteryConnected) !== 0,
    isDcSupported: (bits & equipment.isDcSupported) !== 0,
    hasExternalPower: (bits & equipment.hasExternalPower) !== 0,
    deviceState: view.getUint8(43),
    externalPower: number(44),
    softwareVersion: textAt(payload, 48, 16),
    serialNumber: textAt(payload, 64, 16),
    completeness: view.getUint32(80, true),
    bmsSoftware: view.getUint32(84, true),
  }
}

/** The payload a device answers with. Texts that are too long are cut; reserved bytes are zero. */
export function encodeSlaveData(data: SlaveData): Uint8Array {
  const bytes = new Uint8Array(width)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.networkId, true)
  putText(bytes.subarray(4, 28), data.name)
  view.setFloat32(28, data.acPower ?? Number.NaN, true)
  view.setFloat32(32, data.batteryPower ?? Number.NaN, true)
  view.setFloat32(36, data.stateOfCharge ?? Number.NaN, true)
  view.setUint16(40, data.faultIndex, true)
  const bits = Object.entries(equipment).map(([name, bit]) => (data[name as keyof typeof equipment] ? bit : 0))
  view.setUint8(
    42,
    bits.reduce((sum: number, bit) => sum + bit, 0),
  )
  view.setUint8(43, data.deviceState)
  view.setFloat32(44, data.externalPower ?? Number.NaN, true)
  putText(bytes.subarray(48, 64), data.softwareVersion)
  putText(bytes.subarray(64, 80), data.serialNumber)
  view.setUint32(80, data.completeness, true)
  view.setUint32(84, data.bmsSoftware, true)
  return bytes
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

function textAt(payload: Uint8Array, at: number, length: number): string {
  const field = payload.subarray(at, at + length)
  const end = field.indexOf(0)
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end))
}

/** Cuts at a whole character. */
function putText(field: Uint8Array, text: string): void {
  new TextEncoder().encodeInto(text, field)
}
