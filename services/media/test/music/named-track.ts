import { designSet, type TestTrack } from './test-sets.ts'

/** The piece of the design set with that name. */
export function namedTrack(name: string): TestTrack {
  const track = designSet.find((track) => track.name === name)
  if (track === undefined) throw new Error(`there is no piece ${name}`)
  return track
}

/** The pieces of the design set in a group. */
export function tracksOf(group: string): readonly TestTrack[] {
  return designSet.filter((track) => track.group === group)
}
