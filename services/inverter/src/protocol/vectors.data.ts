import type { Frame } from './frame.ts'

/** A frame as bytes and as what it means, for tests: made with an independent implementation or recorded from a device. */
export interface Vector {
  readonly name: string
  readonly bytes: Uint8Array
  readonly frame: Frame
}

type Optional = Partial<Pick<Frame, 'address'>> & { payload?: string }

function vector(hex: string, name: string, frame: Pick<Frame, 'command' | 'objectId'> & Optional): Vector {
  const payload = Uint8Array.fromHex(frame.payload ?? '')
  return { name, bytes: Uint8Array.fromHex(hex), frame: { address: undefined, ...frame, payload } }
}

const read = (hex: string, name: string, objectId: number) => vector(hex, name, { command: 'read', objectId })
const write = (hex: string, name: string, of: { objectId: number; payload: string; address?: number }) =>
  vector(hex, name, { command: 'write', ...of })
const response = (hex: string, name: string, of: { objectId: number; payload: string; address?: number }) =>
  vector(hex, name, { command: 'response', ...of })
const longResponse = (hex: string, name: string, of: { objectId: number; payload: string; address?: number }) =>
  vector(hex, name, { command: 'long-response', ...of })

const slaveData =
  '07000000476174657761792064656d6f00000000000000000000000000509a4400007ac3ae47413f0000070d00000000322e332e3536383700000000000000004131323342343536433738390000000001000000040302010000000000000000000000000000000000000000'
const soc = 0x959930bf
const minutesSoc = 0x5293b668

/** Requests to a device without an address. */
export const requests: readonly Vector[] = [
  read('2b0104959930bf0d65', 'battery.soc', soc),
  read('2b0104db2d2d69ae55ab', 'an escape byte in the id', 0xdb2d69ae),
  read('2b01042d2bc1e72d2be60c', 'two start bytes in the id', 0x2bc1e72b),
  read('2b01045cd75669412d2d', 'an escape byte in the checksum', 0x5cd75669),
  read('2b0104682cdda12d2bb0', 'a start byte in the checksum', 0x682cdda1),
  vector('2b0804959930bf4587', 'periodically battery.soc', { command: 'read-periodically', objectId: soc }),
  write('2b02089c8fe5590000001e6056', 'pas.period = 30', { objectId: 0x9c8fe559, payload: '0000001e' }),
  write('2b02089c8fe5590000000093a9', 'pas.period = 0', { objectId: 0x9c8fe559, payload: '00000000' }),
  write('2b0205f168b748027a40', 'soc_strategy = 2, an odd body', { objectId: 0xf168b748, payload: '02' }),
  write('2b0208d1dfc9693f333333d98b', 'soc_target_set = 0.7', { objectId: 0xd1dfc969, payload: '3f333333' }),
  write('2b0208bd008e29c4fa000052f8', 'battery_power_extern = -2000', { objectId: 0xbd008e29, payload: 'c4fa0000' }),
  write('2b02058fc89b1005839f', 'com_service = 5', { objectId: 0x8fc89b10, payload: '05' }),
  write('2b02058fc89b10007c6a', 'com_service = 0', { objectId: 0x8fc89b10, payload: '00' }),
  vector('2b0300147dde352d2b3139322e302e322e31000000000000003f5c', 'wifi.sockb_ip as a long write', {
    command: 'long-write',
    objectId: 0x7dde352b,
    payload: '3139322e302e322e3100000000000000',
  }),
  read('2b0104f168b74857d3', 'power_mng.soc_strategy', 0xf168b748),
  read('2b0104d1dfc96904e7', 'power_mng.soc_target_set', 0xd1dfc969),
  read('2b0104bd008e29873d', 'power_mng.battery_power_extern', 0xbd008e29),
  read('2b010436a9e9a695cd', 'power_mng.use_grid_power_enable', 0x36a9e9a6),
  read('2b010491617c58480f', 'g_sync.p_ac_grid_sum_lp', 0x91617c58),
  read('2b0104400f015b58b4', 'g_sync.p_acc_lp', 0x400f015b),
  read('2b01045f33284ed9d3', 'prim_sm.state', 0x5f33284e),
  read('2b01049c8fe55978eb', 'pas.period', 0x9c8fe559),
  read('2b0104c0a7074f69a2', 'net.slave_data', 0xc0a7074f),
  read('2b01048fc89b109216', 'com_service', 0x8fc89b10),
]

/** Answers whose length field has one byte. */
export const responses: readonly Vector[] = [
  response('2b0508959930bf3e97b1919c86', 'battery.soc 0.296', { objectId: soc, payload: '3e97b191' }),
  response('2b0508959930bf3f000000a93f', 'battery.soc 0.5', { objectId: soc, payload: '3f000000' }),
  response('2b05055f33284e0d95f1', 'prim_sm.state 13, an odd body', { objectId: 0x5f33284e, payload: '0d' }),
  response('2b050536a9e9a6016bc2', 'use_grid_power_enable true', { objectId: 0x36a9e9a6, payload: '01' }),
  response('2b0508b66236086955b900f997', 'bat_next_calib_date', { objectId: 0xb6623608, payload: '6955b900' }),
  response('2b0508959930bf3f526d482d2d2d2b', 'checksum 2D 2B', { objectId: soc, payload: '3f526d48' }),
  response('2b050891617c58c40e799a2d2d2d2d', 'checksum 2D 2D', { objectId: 0x91617c58, payload: 'c40e799a' }),
  response('2b0508959930bf3f148f322d2b2d2b', 'checksum 2B 2B', { objectId: soc, payload: '3f148f32' }),
  response('2b0508959930bf3f05f2672d2b2d2d', 'checksum 2B 2D', { objectId: soc, payload: '3f05f267' }),
  response(`2b05247924abd931322d2d412d2b42${'00'.repeat(26)}485e`, 'escapes in a text', {
    objectId: 0x7924abd9,
    payload: `31322d412b42${'00'.repeat(26)}`,
  }),
  response(`2b052d2b7924abd9524354${'00'.repeat(36)}2439`, 'a length that is a start byte', {
    objectId: 0x7924abd9,
    payload: `524354${'00'.repeat(36)}`,
  }),
  response(`2b052d2d7924abd9524354${'00'.repeat(38)}e156`, 'a length that is an escape byte', {
    objectId: 0x7924abd9,
    payload: `524354${'00'.repeat(38)}`,
  }),
  response(`2b0564f8c0d255${'172d2b0d00'.repeat(24)}8343`, 'battery.cells[0]', {
    objectId: 0xf8c0d255,
    payload: '172b0d00'.repeat(24),
  }),
  response(
    '2b053434a164e70300000000f15365666646400400000000f153659a9959400500000000f15365000030410600000000f153650000f84120d1',
    'battery.cells_stat[0]',
    {
      objectId: 0x34a164e7,
      payload: '0300000000f15365666646400400000000f153659a9959400500000000f15365000030410600000000f153650000f841',
    },
  ),
  response(`2b0564649b10da${'02800000'.repeat(24)}6968`, 'battery.cells_resist[0]', {
    objectId: 0x649b10da,
    payload: '02800000'.repeat(24),
  }),
  response(`2b0570c0a7074f${slaveData}ae01`, 'net.slave_data', { objectId: 0xc0a7074f, payload: slaveData }),
]

/** Long answers that declare their true length. */
export const longResponses: readonly Vector[] = [
  longResponse('2b0600205293b6686553f1006553efd43f0000006553eea83f2000006553ed7c3f400000b9e6', 'three pairs', {
    objectId: minutesSoc,
    payload: '6553f1006553efd43f0000006553eea83f2000006553ed7c3f400000',
  }),
  ...[
    ['655410266553efd43f000000', '2d2b2d2b', 'checksum 2B 2B'],
    ['65543fd16553efd43f000000', '2d2d2d2d', 'checksum 2D 2D'],
    ['6554433d6553efd43f000000', '2d2d2d2b', 'checksum 2D 2B'],
    ['65546cca6553efd43f000000', '2d2b2d2d', 'checksum 2B 2D'],
    ['6553f1a26553efd43f000000', 'd52d2d', 'checksum D5 2D'],
    ['6553f1f06553efd43f000000', 'ed2d2b', 'checksum ED 2B'],
  ].map(([payload = '', checksum = '', name = '']) =>
    longResponse(`2b0600105293b668${payload}${checksum}`, name, { objectId: minutesSoc, payload }),
  ),
  longResponse('2b06001c6f3876bc6553f100000000736553f0c4959930bf00000001000000028cb5', 'an event', {
    objectId: 0x6f3876bc,
    payload: '6553f100000000736553f0c4959930bf0000000100000002',
  }),
  longResponse(`2b060070c0a7074f${slaveData}3a9f`, 'slave data', { objectId: 0xc0a7074f, payload: slaveData }),
]

/** Long answers of a device that declare more or fewer bytes than they have. They can be read, and are never made. */
export const misdeclared: readonly Vector[] = [
  longResponse('2b0600105293b6686ac0a7046ac058585858f0406ac058585858aae56ac027083e68d4908cc0', '16 too few', {
    objectId: minutesSoc,
    payload: '6ac0a7046ac058585858f0406ac058585858aae56ac027083e68d490',
  }),
  longResponse('2b0600089247db996ac0a9826ac02d2bb83e5697096ac02a8c4211c0fbb86b', '16 too few, with an escape', {
    objectId: 0x9247db99,
    payload: '6ac0a9826ac02bb83e5697096ac02a8c4211c0fb',
  }),
  longResponse('2b0601e8cbdad3156ac0a7046ac02960000000043aa8', '472 too many', {
    objectId: 0xcbdad315,
    payload: '6ac0a7046ac0296000000004',
  }),
  longResponse('2b0601e8cbdad3156ac0a98283e7', '480 too many', { objectId: 0xcbdad315, payload: '6ac0a982' }),
]

/** A long answer of which the part to `inner` is a valid frame by itself, as far as its checksum tells. */
export const nested = {
  ...longResponse('2b06001c5293b6686553f1006553efd43f000000d75600006553eea83e8000002e83', 'a frame within a frame', {
    objectId: minutesSoc,
    payload: '6553f1006553efd43f000000d75600006553eea83e800000',
  }),
  inner: 22,
}

/** Frames to and from one device of a plant. */
export const plantFrames: readonly Vector[] = [
  vector('2b41083b2d2d412d2b959930bfc53e', 'read, with escapes in the address', {
    command: 'read',
    address: 0x3b2d412b,
    objectId: soc,
  }),
  response('2b450c12345678959930bf3f00000021c2', 'response', {
    address: 0x12345678,
    objectId: soc,
    payload: '3f000000',
  }),
  vector('2b480800000007db2d2d69ae005e', 'read periodically', {
    command: 'read-periodically',
    address: 7,
    objectId: 0xdb2d69ae,
  }),
  write('2b420c00000007bd008e2944bb800063c2', 'write', { address: 7, objectId: 0xbd008e29, payload: '44bb8000' }),
  longResponse(
    '2b460024000000075293b6686553f1006553efd43f0000006553eea83f2000006553ed7c3f4000008396',
    'long response',
    {
      address: 7,
      objectId: minutesSoc,
      payload: '6553f1006553efd43f0000006553eea83f2000006553ed7c3f400000',
    },
  ),
]

/** Everything whose declared length is its true one: it comes back byte for byte. */
export const wellFormed: readonly Vector[] = [...requests, ...responses, ...longResponses, nested, ...plantFrames]
