/** The address that this tab has just signed up, so that a reload or the Back button does not ask for it again. */
const key = 'signed-up'

export const lastSignUp = (): string | null => sessionStorage.getItem(key)
export const noteSignUp = (email: string): void => sessionStorage.setItem(key, email)
export const forgetSignUp = (): void => sessionStorage.removeItem(key)
