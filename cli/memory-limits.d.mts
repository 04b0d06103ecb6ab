export declare const nodeFlags: readonly string[]
export declare const variables: Readonly<Record<string, string>>
export declare function isService(args: readonly string[]): boolean
