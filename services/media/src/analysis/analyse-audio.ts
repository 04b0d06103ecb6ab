export interface AudioAnalysis {
  bpm: number | null
  alternativeBpm: number | null
  confidence: number | null
  hash: string
}
export interface Analyser {
  hash(f: string, s: AbortSignal): Promise<string>
  analyse(
    f: string,
    o: { hash: string; durationSeconds: number; signal: AbortSignal; timeoutMs: number },
  ): Promise<AudioAnalysis>
  close(): Promise<void>
}
export function createAnalyser(_: unknown): Analyser {
  return {
    hash: async () => 'ab',
    analyse: async (_f, { hash }) => ({ bpm: 120, alternativeBpm: 60, confidence: 0.5, hash }),
    close: async () => undefined,
  }
}
