/** An uploaded certificate as one of a choice. */
export interface UploadChoice {
  readonly value: number
  readonly label: string
}

/** Certificates that were uploaded with their keys. */
export function useOwnCertificates(_isWanted: boolean): readonly UploadChoice[] {
  return []
}

/** Authorities that were uploaded. */
export function useAuthorities(_isWanted: boolean): readonly UploadChoice[] {
  return []
}
