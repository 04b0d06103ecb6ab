const lookMs = 500

/** Rings when nothing is heard any more. */
export interface Alarm {
  heard(): void
  stop(): void
}

/**
 * An alarm for something that is to be heard of: first within `firstMs`, afterwards every `thenMs`. When this process itself was
 * busy so long, what came meanwhile is heard before it rings.
 */
export function createAlarm(
  { firstMs, thenMs }: { readonly firstMs: number; readonly thenMs: number },
  ring: () => void,
): Alarm {
  let heardAt = performance.now()
  let patienceMs = firstMs
  let isSecondLook = false
  const timer = setInterval(() => {
    if (performance.now() - heardAt < patienceMs) return
    if (isSecondLook) ring()
    isSecondLook = true
  }, lookMs)
  return {
    heard() {
      heardAt = performance.now()
      patienceMs = thenMs
      isSecondLook = false
    },
    stop: () => clearInterval(timer),
  }
}
