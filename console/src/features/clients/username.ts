/** Real brokers write this text for a client without a username. */
export const usernameOf = ({ from_username }: { from_username?: string | undefined }): string =>
  from_username === undefined || from_username === 'undefined' ? '' : from_username;
