/**
 * What closes a secret for everybody but this account's desktop app: the keychain. Declared here, for
 * the vault needs it; without one, secrets lie as they are in a file that only the owner can read.
 */
export interface Seal {
  /** Whether it really protects: some Linux desktops have nothing but a fixed password. */
  available(): Promise<boolean>;
  seal(text: string): Promise<string>;
  /** Throws where it was sealed elsewhere, or the owner refuses. */
  open(sealed: string): Promise<string>;
}
