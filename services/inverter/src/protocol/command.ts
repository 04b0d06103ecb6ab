/** Kind of a frame. A frame with an address has the "network" form of it, for one device of a plant. */
export type Command = 'read' | 'write' | 'long-write' | 'response' | 'long-response' | 'read-periodically'

/** Added to a command's code when the frame carries an address. */
const plantBit = 0x40

const codes: Readonly<Record<Command, number>> = {
  read: 0x01,
  write: 0x02,
  'long-write': 0x03,
  response: 0x05,
  'long-response': 0x06,
  'read-periodically': 0x08,
}

/** Layout of the frames of one command code. */
export interface CommandLayout {
  readonly command: Command
  readonly hasAddress: boolean
  /** Bytes of the length field. */
  readonly lengthBytes: 1 | 2
  /** Bytes between the length field and the payload: the address if there is one, and the object id. */
  readonly idBytes: 4 | 8
}

const layouts: readonly (CommandLayout | undefined)[] = makeLayouts()

function makeLayouts(): (CommandLayout | undefined)[] {
  const made = Array.from<CommandLayout | undefined>({ length: 256 })
  for (const [command, code] of Object.entries(codes) as [Command, number][]) {
    const lengthBytes = command.startsWith('long-') ? 2 : 1
    made[code] = { command, hasAddress: false, lengthBytes, idBytes: 4 }
    made[code | plantBit] = { command, hasAddress: true, lengthBytes, idBytes: 8 }
  }
  return made
}

/** The layout that a command code stands for, or undefined for a code no frame begins with. */
export function layoutOf(code: number): CommandLayout | undefined {
  return layouts[code]
}

/** The command code of a frame with or without an address. */
export function codeOf(command: Command, hasAddress: boolean): number {
  return codes[command] | (hasAddress ? plantBit : 0)
}
