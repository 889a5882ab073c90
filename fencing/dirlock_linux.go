package fencing

import "syscall"

// remoteFileSystem names the common network file systems by the magic numbers
// of statfs(2).
func remoteFileSystem(path string) string {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return ""
	}
	switch uint32(st.Type) {
	case 0x6969:
		return "nfs"
	case 0xff534d42, 0xfe534d42:
		return "smb"
	case 0x00c36400:
		return "ceph"
	case 0x01021997:
		return "9p"
	default:
		return ""
	}
}

// fileSystemID is the f_fsid of statfs(2): derived from the file system's UUID
// on ext4 and btrfs, from the device elsewhere.
func fileSystemID(path string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, err
	}
	return uint64(uint32(st.Fsid.X__val[0]))<<32 | uint64(uint32(st.Fsid.X__val[1])), nil
}
