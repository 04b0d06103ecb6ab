import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { readDatagram } from './datagram.ts'
import { decodeMessages, encodeAccept, encodeBind } from './queue-messages.ts'

/** The kernel's message about a datagram of 10 bytes to port 5555 of 127.0.0.1, in queue 7. */
const fromKernel = Buffer.from(
  '62000000000300000000000000000000020000070b000100000000010800010008000500000000011000090000060000' +
    '00000000000000002a000a0045000026977240004011a5527f0000017f000001a70815b300122be80102030405060708' +
    '0910',
  'hex',
)

test('a packet of the kernel has its number and its bytes', () => {
  const [message] = decodeMessages(fromKernel)
  assert.ok(message !== undefined && 'packet' in message)
  assert.equal(message.packet.id, 1)
  assert.deepEqual(readDatagram(message.packet.bytes), {
    port: 5555,
    payload: Buffer.from('01020304050607080910', 'hex'),
  })
})

test('an answer of the kernel has its error number', () => {
  const answer = Buffer.from('240000000200000100000000000000000000000000000000000000000000000000000000', 'hex')
  assert.deepEqual(decodeMessages(answer), [{ errno: 0 }])
  answer.writeInt32LE(-16, 16)
  assert.deepEqual(decodeMessages(answer), [{ errno: 16 }])
})

test('requests have the form that the kernel reads', () => {
  assert.deepEqual(
    encodeBind(7).map((request) => request.toString('hex')),
    [
      '1c000000020305000000000000000000000000070800010001000000',
      '38000000020305000000000000000000000000070900020000000100020000000800030000000200' +
        '08000400000000010800050000000001',
    ],
  )
  assert.equal(
    encodeAccept(7, 0x01020304).toString('hex'),
    '20000000010301000000000000000000000000070c0002000000000101020304',
  )
})

test('any bytes are read without an error', () => {
  for (let round = 0; round < 2000; round += 1) {
    const bytes = round % 2 === 0 ? randomBytes(round % 300) : Buffer.from(fromKernel)
    if (round % 2 === 1) bytes[round % bytes.length] = round % 256
    for (const message of decodeMessages(bytes)) if ('packet' in message) readDatagram(message.packet.bytes)
    readDatagram(bytes)
  }
})

test('a datagram in IPv6 is read, and what is none is not', () => {
  const datagram = Buffer.from('d431ca6c000b0000aabbcc', 'hex')
  const header = Buffer.alloc(40)
  header[0] = 0x60
  header[6] = 17
  assert.deepEqual(readDatagram(Buffer.concat([header, datagram])), {
    port: 51_820,
    payload: Buffer.from('aabbcc', 'hex'),
  })
  header[6] = 6
  assert.equal(readDatagram(Buffer.concat([header, datagram])), undefined)
  assert.equal(readDatagram(Buffer.alloc(0)), undefined)
})
