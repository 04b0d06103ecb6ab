import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createLog, OperatorError } from '@hearth/runtime'
import { encodeFrame, type Frame } from '../protocol/frame.ts'
import { bootloaderBytes } from '../protocol/outside-bytes.ts'
import { Client } from './client.ts'
import { Faults, noFaults } from './faults.ts'
import { SimulatedInverter } from './inverter.ts'
import type { PlantState } from './plant.ts'
import type { RegisterFile } from './register-file.ts'
import { SerialLine, type WireEntry } from './serial-line.ts'
import { keepState } from './state-file.ts'
import { answerAs } from './other-service.ts'
import type { SimulatorOptions } from './simulator-options.ts'
import { maxShortPayload, transmissionsOf, type Reply } from './transmissions.ts'

/** Number of entries that are kept of the traffic on the wire. */
const maxWireEntries = 10_000

/** Time in the boot loader for an update, milliseconds. */
const updateMs = 10_000

/** Starts listening. Throws an `OperatorError` when the port is taken. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const simulator = new Simulator(options)
  await simulator.open()
  return simulator
}

/** A simulated inverter on a real socket. */
export class Simulator {
  port = 0
  connections = 0
  /** Most reads one connection ever had open at a time; a good client keeps it at one. */
  maxOpenReads = 0
  /** Traffic on the wire, oldest first, at most the last 10 000 entries. */
  readonly wire: WireEntry[] = []
  readonly #options: SimulatorOptions
  readonly #clients = new Set<Client>()
  readonly #line: SerialLine
  readonly #inverters = new Map<number | undefined, SimulatedInverter>()
  /** Cancels the next sending of periodic values, by address. */
  readonly #cycles = new Map<number | undefined, () => void>()
  readonly #main: SimulatedInverter
  #faults: Faults
  #server: Server | undefined
  #answers = 0
  readonly #nameOf = (objectId: number): string => this.#options.catalog.byId(objectId)?.name ?? ''
  readonly #isSilent = (objectId: number): boolean => this.#faults.silentFor.includes(this.#nameOf(objectId))
  #stopState: () => Promise<void> = () => Promise.resolve()
  #isClosed = false

  constructor(options: SimulatorOptions) {
    const { timers, catalog, seed = 1, slaves = [], timeZone = 'UTC' } = options
    this.#options = options
    this.#faults = Faults.parse({ ...options.faults })
    this.#line = new SerialLine(timers, (bytes) => this.sendRaw(bytes))
    const { house, clouds } = options
    const common = { catalog, timers, slaves, timeZone, faults: () => this.#faults, house, clouds }
    this.#main = new SimulatedInverter({ ...common, seed })
    this.#inverters.set(undefined, this.#main)
    for (const { networkId, serial } of slaves)
      this.#inverters.set(networkId, new SimulatedInverter({ ...common, seed: seed + networkId, serial }))
  }

  get registers(): RegisterFile {
    return this.#main.registers
  }

  get plant(): PlantState {
    return this.#main.plant
  }

  async open(): Promise<void> {
    const { stateFile, timers, log = createLog({ name: 'simulator', level: 'silent' }) } = this.#options
    if (stateFile !== undefined) this.#stopState = await keepState(this.#main, { file: stateFile, timers, log })
    await this.#listen(this.#options.port)
    this.#announce()
  }

  setSoc(soc: number): void {
    this.#main.setSoc(soc)
  }

  /** Switches faults; those that are not named stay as they are. */
  setFaults(faults: Partial<Faults>): void {
    const before = this.#faults
    this.#faults = Faults.parse({ ...before, ...faults })
    if (this.#faults.firmware !== '' && this.#faults.firmware !== before.firmware) this.#update(this.#faults.firmware)
    for (const client of this.#clients) client.setReading(!this.#faults.notReading)
    if (this.#faults.refuse) this.#refuse()
    else if (this.#server === undefined && !this.#isClosed) void this.#listen(this.port)
    if (this.#faults.closeOnAccept) this.dropConnections()
  }

  /** Stays in the boot loader for a while, and runs another firmware after that. */
  #update(firmware: string): void {
    this.#faults = { ...this.#faults, bootloader: true }
    this.#options.timers.after(updateMs, () => {
      for (const { registers } of this.#inverters.values()) registers.set('svnversion', firmware)
      this.#faults = { ...this.#faults, bootloader: false }
      this.dropConnections()
    })
  }

  clearFaults(): void {
    this.setFaults(noFaults)
  }

  dropConnections(): void {
    for (const client of this.#clients) client.close()
  }

  /** Sends bytes to every client, as the line copies everything to everyone. */
  sendRaw(bytes: Uint8Array): void {
    this.#recordWire({ connection: 0, direction: 'out', frame: undefined }, bytes)
    for (const client of this.#clients) client.send(bytes)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const cancel of this.#cycles.values()) cancel()
    this.#line.close()
    this.#refuse()
    await this.#stopState()
  }

  #listen(port: number): Promise<void> {
    const server = createServer((socket) => this.#accept(socket))
    this.#server = server
    return new Promise((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        reject(new OperatorError(`--port: cannot listen on ${port}: ${error.message}`, { cause: error })),
      )
      server.listen(port, this.#options.host ?? '127.0.0.1', () => {
        this.port = (server.address() as AddressInfo).port
        resolve()
      })
    })
  }

  #refuse(): void {
    this.#server?.close()
    this.#server = undefined
    this.dropConnections()
  }

  #accept(socket: Socket): void {
    this.connections += 1
    const { closeOnAccept, maxClients, otherService } = this.#faults
    if (otherService !== 'none') {
      answerAs(otherService, socket)
      return
    }
    if (closeOnAccept || (maxClients > 0 && this.#clients.size >= maxClients)) {
      socket.on('error', () => undefined)
      socket.destroy()
      return
    }
    const events = {
      onFrame: (client: Client, frame: Frame) => this.#take(client, frame),
      onBytes: () => this.#line.interrupt(),
      onClose: (client: Client) => this.#clients.delete(client),
    }
    const client = new Client(socket, { number: this.connections, faults: () => this.#faults, events })
    this.#clients.add(client)
    client.setReading(!this.#faults.notReading)
    if (this.#faults.bootloader) client.send(bootloaderBytes)
  }

  #take(client: Client, frame: Frame): void {
    this.#recordWire({ connection: client.number, direction: 'in', frame }, encodeFrame(frame))
    const inverter = this.#inverters.get(frame.address)
    if (inverter === undefined || this.#faults.bootloader) return
    if (frame.command === 'read') this.#read(client, inverter, frame)
    else if (frame.command === 'write' || frame.command === 'long-write') this.#write(client, inverter, frame)
    else if (frame.command === 'read-periodically') this.#register(client, inverter, frame)
  }

  #recordWire(entry: Omit<WireEntry, 'at' | 'bytes'>, bytes: Uint8Array): void {
    const at = this.#options.timers.monotonic()
    this.wire.push({ ...entry, at, bytes: Buffer.from(bytes).toString('hex') })
    if (this.wire.length > maxWireEntries) this.wire.splice(0, maxWireEntries / 10)
  }

  #read(client: Client, inverter: SimulatedInverter, frame: Frame): void {
    client.openReads += 1
    this.maxOpenReads = Math.max(this.maxOpenReads, client.openReads)
    if (this.#faults.silent || this.#isSilent(frame.objectId)) return
    const late = this.#faults.lateReplies[this.#nameOf(frame.objectId)]
    if (late === undefined) this.#answerRead(client, inverter, frame)
    else this.#options.timers.after(late, () => this.#answerRead(client, inverter, frame))
  }

  #answerRead(client: Client, inverter: SimulatedInverter, frame: Frame): void {
    const recorded = this.#options.replay?.next(frame.address, frame.objectId)
    if (recorded === undefined) this.#answerWith(client, frame, this.#payload(inverter, frame.objectId))
    else this.#answer(client, frame, recorded)
  }

  #answerWith(
    client: Client | undefined,
    to: Pick<Frame, 'address' | 'objectId'>,
    payload: Uint8Array | undefined,
  ): void {
    if (payload !== undefined) this.#answer(client, to, { payload, isLong: payload.length > maxShortPayload })
  }

  #payload(inverter: SimulatedInverter, objectId: number): Uint8Array | undefined {
    const faulty = this.#faults.payloads[this.#nameOf(objectId)]
    return faulty === undefined ? inverter.answer(objectId) : Buffer.from(faulty, 'hex')
  }

  #write(client: Client, inverter: SimulatedInverter, frame: Frame): void {
    if (this.#faults.resetOnWrite) {
      client.reset()
      return
    }
    const answer = inverter.answerToWrite(frame.objectId, frame.payload)
    if (answer !== undefined) {
      if (!this.#faults.silent) this.#answer(undefined, frame, { payload: answer, isLong: true })
      return
    }
    inverter.write(frame.objectId, frame.payload)
    if (this.#faults.answerWrites) this.#answerWith(undefined, frame, frame.payload)
    if (this.#options.catalog.byId(frame.objectId)?.name === 'pas_period') this.#renewCycle(frame.address)
  }

  #register(client: Client, inverter: SimulatedInverter, frame: Frame): void {
    const { ignorePeriodic, dropAtRegistration, silent } = this.#faults
    if (ignorePeriodic || silent || this.#isSilent(frame.objectId)) return
    client.register(frame.address, frame.objectId)
    if (dropAtRegistration > 0 && client.registrations >= dropAtRegistration) {
      client.close()
      return
    }
    this.#answerWith(undefined, frame, this.#payload(inverter, frame.objectId))
  }

  #answer(
    client: Client | undefined,
    { address, objectId }: Pick<Frame, 'address' | 'objectId'>,
    { payload, isLong }: Reply,
  ): void {
    const onSent = () => {
      if (client !== undefined) client.openReads = Math.max(0, client.openReads - 1)
    }
    this.#answers += 1
    const { catalog, seed = 1 } = this.#options
    const answer = { address, objectId, payload, isLong, count: this.#answers }
    const transmissions = transmissionsOf(answer, { faults: this.#faults, catalog, seed })
    const own = transmissions.pop()
    for (const transmission of transmissions) this.#line.add(transmission)
    if (own !== undefined) this.#line.add({ ...own, onSent })
  }

  /** Follows a written interval with the values that are sent periodically, none at zero. */
  #renewCycle(address: number | undefined): void {
    const seconds = Number(this.#inverters.get(address)?.registers.get('pas_period') ?? 0)
    if (seconds === 0) for (const client of this.#clients) client.registered.delete(address)
    this.#cycles.get(address)?.()
    this.#cycles.delete(address)
    if (seconds === 0 || this.#isClosed) return
    const cancel = this.#options.timers.after(seconds * 1000, () => this.#cycle(address))
    this.#cycles.set(address, cancel)
  }

  #cycle(address: number | undefined): void {
    const inverter = this.#inverters.get(address)
    const { periodicStops, bootloader, silent } = this.#faults
    const objects = new Set<number>()
    for (const client of this.#clients) for (const id of client.registered.get(address) ?? []) objects.add(id)
    if (inverter !== undefined && !periodicStops && !bootloader && !silent)
      for (const objectId of [...objects].filter((id) => !this.#isSilent(id)))
        this.#answerWith(undefined, { address, objectId }, this.#payload(inverter, objectId))
    this.#renewCycle(address)
  }

  /** Announces the bootloader again and again. */
  #announce(): void {
    if (this.#isClosed) return
    if (this.#faults.bootloader) this.sendRaw(bootloaderBytes)
    this.#options.timers.after(1000, () => this.#announce())
  }
}
