import { useLocalStorage } from '@mantine/hooks'
import type { MediaType, Quality } from '../api.ts'

/** Type and quality of a download. */
export interface Choices {
  type: MediaType
  quality: Quality
}

const first: Choices = { type: 'audio', quality: 'max' }

/** The choices of the last time, kept in this browser. */
export function useChoices(): [Choices, (next: Partial<Choices>) => void] {
  const [choices, setChoices] = useLocalStorage<Choices>({
    key: 'hearth-media-choices',
    defaultValue: first,
    getInitialValueInEffect: false,
    deserialize: (text) => readChoices(text),
  })
  return [choices, (next) => setChoices({ ...choices, ...next })]
}

/** Type and quality as they are asked for: audio always in the best, so that one quality finds what is there already. */
export const requestedKind = ({ type, quality }: Choices): Choices => ({
  type,
  quality: type === 'audio' ? 'max' : quality,
})

/** Whatever stands in the browser's storage, made a valid choice. */
export function readChoices(text: string | undefined): Choices {
  try {
    const { type, quality } = JSON.parse(text ?? '') as Partial<Choices>
    return {
      type: type === 'video' ? 'video' : 'audio',
      quality: quality === 'medium' || quality === 'small' ? quality : 'max',
    }
  } catch {
    return first
  }
}
