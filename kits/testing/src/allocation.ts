import { getHeapStatistics } from 'node:v8'

/**
 * Returns how many bytes a call allocates once it is compiled: the smallest mean of up to 40 batches. Interpreted code
 * allocates for numbers that compiled code keeps in registers, and a busy machine compiles later. Stops at the first
 * batch below `enough` bytes a call.
 */
export function allocatedPerCall(call: () => void, enough: number): number {
  const calls = 50_000
  let least = Infinity
  for (let batch = 0; batch < 40 && least >= enough; batch++) {
    const before = getHeapStatistics().total_allocated_bytes
    for (let k = 0; k < calls; k++) call()
    least = Math.min(least, (getHeapStatistics().total_allocated_bytes - before) / calls)
  }
  return least
}
