import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson, writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'
import { NodeState } from '../nodes/node-state.ts'

/** The state of a node as it stands on its disk. It holds the private keys of the interfaces. */
const StoredState = z.object({
  revision: z.string(),
  state: NodeState,
  /** Interfaces of an earlier state that may still run, and are not to. */
  leaving: NodeState.shape.interfaces,
})
export type StoredState = z.infer<typeof StoredState>

/** Name of the file with the wanted state in the data directory of a node. */
export const stateFileName = 'state.json'

/** Reads the state of this node; `undefined` when it has none yet, and a text that says what is wrong with the file otherwise. */
export async function readStateFile(directory: string): Promise<StoredState | undefined | string> {
  const file = join(directory, stateFileName)
  try {
    const { success, data, error } = StoredState.safeParse(parseJson(await readFile(file, 'utf8')))
    return success ? data : `${file} is damaged, or another version wrote it (${describeIssue(error)})`
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? undefined : `cannot read ${file}: ${message}`
  }
}

/** Writes the state of this node, for its owner alone. */
export function writeStateFile(directory: string, state: StoredState): Promise<void> {
  return writeFileAtomic(join(directory, stateFileName), JSON.stringify(state))
}

/** Names the first part of a state that is wrong, without its value. */
export function describeIssue({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.map(String).join('.') ?? ''
  return `${path === '' ? 'the whole' : path}: ${issue?.message ?? 'not valid'}`
}
